-- A text without its last characters, a star for each.
--
-- lost  how many
left(digits, -{lost}) || repeat('*', {lost})
