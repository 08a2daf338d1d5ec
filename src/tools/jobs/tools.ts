import type { Tool } from '#core/tool.ts';
import type { JobToolDeps } from './deps.ts';
import { jobCancel } from './job-cancel.ts';
import { jobList } from './job-list.ts';
import { jobResult } from './job-result.ts';
import { readResult } from './read-result.ts';

/** Every tool for jobs and long results. */
export function jobTools(deps: JobToolDeps): readonly Tool[] {
  return [jobCancel(deps), jobList(deps), jobResult(deps), readResult(deps)];
}
