/** What an envelope says of the job that its answer belongs to, or that goes on in its place. */
export interface EnvelopeJob {
  readonly id: string;
  readonly status: string;
}

export function jobOf(envelope: unknown): EnvelopeJob | undefined {
  const { job } = asRecord(envelope);
  const { id, status } = asRecord(job);
  return typeof id === 'string' && typeof status === 'string' ? { id, status } : undefined;
}

/** Whether this stands in the place of an answer: the work goes on. */
export function isUnderWay(envelope: unknown): boolean {
  const status = jobOf(envelope)?.status;
  return status === 'queued' || status === 'running';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
