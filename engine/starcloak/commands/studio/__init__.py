"""Studio: a window in the browser, on the user's own machine, for editing a job. The decisions stay in a job file.

Reading order: ``job_file`` (the job, edited and saved), ``work`` (long computations), ``shared_state`` (the state of
all windows), ``guard`` (access), ``screens`` (the pages), ``server``.
"""
