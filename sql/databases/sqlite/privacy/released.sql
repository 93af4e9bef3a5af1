-- section: text
-- A sensitive value as it reads. The text of a floating-point number has 15 digits: it takes more where fewer would be
-- another number's.
--
-- sensitive  the sensitive attribute, as it is grouped
case typeof({sensitive})
    when 'real' then case {sensitive}
        when cast(printf('%!.15g', {sensitive}) as real) then printf('%!.15g', {sensitive})
        when cast(printf('%!.16g', {sensitive}) as real) then printf('%!.16g', {sensitive})
        else printf('%!.17g', {sensitive})
    end
    else cast({sensitive} as text)
end collate binary
