-- A cell with its type, byte by byte. The text of a floating-point number has 15 digits, so the connection brings a
-- function for its exact text, which no whole number has; the part after a text is cut to whole characters.
--
-- cell  the cell
cast(
    case typeof({cell})
        when 'text' then 'text' || {cell}
        when 'real' then starcloak_real({cell})
        when 'blob' then 'blob' || hex({cell})
        else {cell}
    end as blob
)
