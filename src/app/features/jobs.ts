import { jobUri } from '#core/calls/jobs.ts';
import { jobResources, JOBS_URI } from '#tools/jobs/job-resources.ts';
import { jobTools } from '#tools/jobs/job-tools.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type JobsContext = Pick<FeatureContext, 'jobs' | 'results' | 'loaded' | 'clock' | 'content'>;

/** Jobs and long results, as tools and as resources whose changes are reported. */
export function jobsFeature({ jobs, results, loaded, clock, content }: JobsContext): Feature {
  const { config } = loaded;
  const deps = {
    jobs,
    results,
    clock,
    get retentionDays() {
      return config.retention.jobsDays;
    },
    get maxTokens() {
      return config.results.maxTokens;
    },
  };
  jobs.onChange(({ id, principal, what }) => {
    content.notifyUpdated(jobUri(id), principal);
    if (what === 'status') content.notifyUpdated(JOBS_URI, principal);
  });
  return { name: 'jobs', tools: jobTools(deps), ...jobResources(deps) };
}
