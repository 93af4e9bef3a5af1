"""The experiments of the Incognito paper (LeFevre, DeWitt, Ramakrishnan 2005), goals beside plain SQL, and scale."""
