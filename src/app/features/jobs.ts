import { jobUri } from '#core/jobs.ts';
import { JOBS_URI } from '#tools/jobs/job-resource.ts';
import { jobMaterials } from '#tools/jobs/materials.ts';
import { jobTools } from '#tools/jobs/tools.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type JobsContext = Pick<FeatureContext, 'jobs' | 'results' | 'loaded' | 'clock' | 'library'>;

/** Jobs and long results, as tools and as resources whose changes are reported. */
export function jobsFeature({ jobs, results, loaded, clock, library }: JobsContext): Feature {
  const { config } = loaded;
  const deps = {
    jobs,
    results,
    clock,
    jobsKeptDays: config.retention.jobsDays,
    maxTokens: config.results.maxTokens,
  };
  jobs.onChange(({ id, principal, what }) => {
    library.touch(jobUri(id), principal);
    if (what === 'status') library.touch(JOBS_URI, principal);
  });
  return { name: 'jobs', tools: jobTools(deps), ...jobMaterials(deps) };
}
