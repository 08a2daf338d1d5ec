import { formatDuration } from '../text/format.ts';

/** The time limits of calls. Code, help texts and settings take them from here. */

/** How long a tool that asks models may take before its call gets the time of a job. */
export const MODEL_TOOL_TIMEOUT_MS = 300_000;
/** How long a call may take in all, inline or as a job: the default of `jobs.timeoutMs`. */
export const JOB_TIMEOUT_MS = 3_600_000;
/** The largest `jobs.timeoutMs`, and so the longest that waiting can be of use. */
export const MAX_JOB_TIMEOUT_MS = 86_400_000;
/** How long `exai ask`, `exai call` and `exai chat` wait by default for an answer or a step of the call. */
export const CLI_WAIT_MS = 600_000;

export const CLI_WAIT_SECONDS = CLI_WAIT_MS / 1000;
/** The largest `--timeout`. */
export const MAX_CLI_WAIT_SECONDS = MAX_JOB_TIMEOUT_MS / 1000;

/** The help of `--timeout`. */
export const CLI_WAIT_HELP = `Seconds to wait, up to ${MAX_CLI_WAIT_SECONDS}; default: ${CLI_WAIT_SECONDS} without progress`;

/** For the help of tools that ask models. */
export const CALL_TIME_HELP = `It takes ${formatDuration(JOB_TIMEOUT_MS / 1000)} at most (jobs.timeoutMs); a client that waits for less gets a job.`;
