-- The cell of one attribute in a variation of a record: drawn where its ticket is among the lowest.
--
-- column    the attribute's column
-- values    its list of values
-- position  its position
case
        when variation > 0 and len(list_filter(tickets, lambda ticket: ticket < tickets[{position}])) < drawn
            then {values}[1 + cast((tickets[{position}] >> 8) % len({values}) as bigint)]
        else {column}
    end
