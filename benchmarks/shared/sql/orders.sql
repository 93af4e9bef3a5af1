-- A made-up table of orders, like the point-of-sale data of LeFevre, DeWitt, Ramakrishnan 2005, Figure 9 (Lands End).
--
-- $seed  an integer: the same seed and rows give the same orders in some order, whatever the threads
-- $rows  how many rows; the paper's 4,591,581 have exactly the figure's distinct values, fewer rows have fewer of them
--
-- One row per ordered item. A few zip codes and styles are ordered often and most seldom; a style has its season, its
-- customers, its price and its supplier; days differ by season and weekday; most markdowns follow a season; cost goes
-- by price and supplier; December is in a hurry. Prices and costs are in cents. md5 stays the same from release to
-- release; hash() does not.
with
-- One row per style, the most ordered one first; the strides are prime to what they are counted by.
styles as (
    select
        style,
        ['always', 'always', 'always', 'always', 'always', 'winter', 'winter', 'winter', 'summer', 'summer']
            [style * 7 % 10 + 1] as season,
        [0.92, 0.12, 0.55, 0.92][style * 13 % 4 + 1] as women,
        (style * 229 + 61) % 346 as list_price,
        style * 11 % 24 as supplier
    from range(1509) as styles (style)
),

-- One row per season and unit of a day's weight, numbered through: a day is as likely as it has slots.
slots as (
    select
        row_number() over (order by season, day, unit) - 1 as slot,
        season,
        day
    from (
        select
            season,
            day,
            unnest(range(
                [6, 5, 6, 7, 7, 6, 6, 7, 8, 9, 13, 16][month(day)]
                    * [9, 8, 8, 7, 7, 5, 4][isodow(day)]
                    * case
                        when season = 'always' then 2
                        when season = 'winter' then if(month(day) in (10, 11, 12, 1), 4, 1)
                        else if(month(day) in (4, 5, 6, 7, 8), 4, 1)
                    end
            )) as unit
        from (
            select cast(date '1999-07-01' + cast(number as integer) as date) as day
            from range(320) as days (number)
        )
        cross join (values ('always'), ('winter'), ('summer')) as seasons (season)
    )
),

seasons as (
    select
        season,
        min(slot) as first_slot,
        count(*) as slots
    from slots
    group by season
),

-- One row per order, its noise in [0, 1) or as whole numbers below 2^32.
draws as (
    select
        number,
        (md5_number_lower(first) >> 32) / cast(4294967296 as double) as zip_1,
        (md5_number_lower(first) & 4294967295) / cast(4294967296 as double) as zip_2,
        (md5_number_upper(first) >> 32) / cast(4294967296 as double) as style_1,
        (md5_number_upper(first) & 4294967295) / cast(4294967296 as double) as style_2,
        cast(md5_number_lower(second) >> 32 as bigint) as moment,
        (md5_number_lower(second) >> 16 & 65535) / cast(65536 as double) as person,
        (md5_number_lower(second) & 65535) / cast(65536 as double) as bargain,
        (md5_number_upper(second) >> 48) / cast(65536 as double) as markdown,
        (md5_number_upper(second) >> 32 & 65535) / cast(65536 as double) as lot,
        (md5_number_upper(second) & 65535) / cast(65536 as double) as hurry
    from (
        select
            number,
            concat_ws('/', cast($seed as bigint), number, 'zip and style') as first,
            concat_ws('/', cast($seed as bigint), number, 'the rest') as second
        from range(cast($rows as bigint)) as numbers (number)
    )
),

-- One row per order. Popularity falls as a power of the rank and tapers off at the end, where most values would have no
-- order: so every 143rd order is from the next zip code, and every 3,041st of the next style.
customers as (
    select
        draws.*,
        if(
            number % 143 = 0,
            number // 143 % 31953,
            cast(floor(31953 * zip_1 * zip_1 * zip_2) as bigint)
        ) as zip,
        if(
            number % 3041 = 0,
            number // 3041 % 1509,
            cast(floor(1509 * style_1 * style_1 * style_2) as bigint)
        ) as style
    from draws
),

-- One row per order. Prices are counted from the lowest, 0 … 345.
items as (
    select
        customers.*,
        styles.women,
        styles.supplier,
        slots.day,
        styles.list_price - if(
            bargain < if(month(slots.day) in (1, 7), 0.4, 0.1),
            cast(floor(markdown * markdown * (styles.list_price // 2 + 1)) as bigint),
            0
        ) as price
    from customers
    join styles using (style)
    join seasons using (season)
    join slots
        on slots.slot = seasons.first_slot + customers.moment % seasons.slots
)

-- Four prices to the dollar, from 2.00 up. Costs are counted from the lowest too, 0 … 1411: four to a price, less what
-- the supplier takes off in this quarter, and up to 31 more for the lot.
select
    lpad(cast(501 + 3 * ((zip * 12347 + 7919) % 31953) + zip % 3 as varchar), 5, '0') as zipcode,
    day as order_date,
    if(person < women, 'Female', 'Male') as gender,
    'S' || 10000 + style * 7 as style,
    cast(200 + 100 * (price // 4) + [0, 50, 95, 99][price % 4 + 1] as integer) as price,
    cast(1 as integer) as quantity,
    cast(
        90 + 3 * (
            4 * price * (100 - [0, 8, 15, 22, 30][(supplier + quarter(day)) % 5 + 1]) // 100
                + cast(floor(32 * lot * lot) as bigint)
        ) as integer
    ) as cost,
    if(hurry < if(month(day) = 12, 0.3, 0.08) + price / 3000, 'Express', 'Standard') as shipment
from items
