-- section: text
-- A sensitive value as text. The text of a floating-point number has 15 digits, or more if these would be another
-- number's.
--
-- sensitive  the sensitive attribute, in its grouped form
case typeof({sensitive})
    when 'real' then case {sensitive}
        when cast(printf('%!.15g', {sensitive}) as real) then printf('%!.15g', {sensitive})
        when cast(printf('%!.16g', {sensitive}) as real) then printf('%!.16g', {sensitive})
        else printf('%!.17g', {sensitive})
    end
    else cast({sensitive} as text)
end collate binary
