"""Studio: a window in the browser, on one's own machine, where a job is decided. What is decided stays a job in a file.

Reading order: ``job_file`` (the job, edited and saved), ``work`` (what takes time), ``shared_state`` (what a window
shows), ``guard`` (who may ask), ``screens`` (the pages), ``server``.
"""
