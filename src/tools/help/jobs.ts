/** What `tool_help` says of job_result. */
export const JOB_RESULT_HELP = `A call that takes long goes on as a job: its answer then has status running and job.id in its place. Nothing is lost by that, nor by a restart.

What comes back:
- the job is over: the answer of the call that it was, with its own tool, status, provider, usage and continuation; job says when it began and ended. A failure is one here, too; interrupted means that the daemon was stopped in the middle of it.
- status running: not yet. It waited for wait_seconds (0 to 40, default 25); call it again. content is the end of what has been written so far.
- status input_required: it asks something that this client cannot be asked; detail says what.
- status cancelled: somebody stopped it.

Without job_id: your jobs that are under way and the latest five, a line each with what the call was about.

A job that asks something asks it through this call, where the client can be asked. An answer can be fetched as often as you like, as long as it is kept.`;
