import type { Resource, ResourceTemplate } from '#core/resource.ts';
import type { JobToolDeps } from './deps.ts';
import { jobResource, jobsResource } from './job-resource.ts';
import { resultResource } from './result-resource.ts';

/** Every resource of jobs and long results. */
export function jobMaterials(deps: Pick<JobToolDeps, 'jobs' | 'results' | 'jobsKeptDays'>): {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
} {
  return {
    resources: [jobsResource(deps)],
    templates: [jobResource(deps), resultResource(deps)],
  };
}
