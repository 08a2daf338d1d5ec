import { WHOLE, failed, type FaultRow } from './provider-fault-row.ts';

/** Files that the vendor does not take, or cannot read. */
export const FILE_FAULTS: readonly FaultRow[] = (
  [
    ['F15.toolarge', 'too large, says the vendor', 'upload', 'too_large', ['kimi']],
    ['F15.toolarge', 'too large, says the vendor', 'upload', 'bad_request', ['glm']],
    ['F15.435', 'too large, says status 435', 'upload', 'too_large', ['glm']],
    ['F15.zero', 'empty, says the vendor', 'upload', 'validation', ['kimi']],
    ['F15.zero', 'empty, says the vendor', 'upload', 'bad_request', ['glm']],
    ['F15.count', 'too many files', 'upload', 'conflict', ['kimi']],
    ['F15.count', 'too many files', 'upload', 'bad_request', ['glm']],
    ['F15.fast', 'uploads too quick', 'upload', 'rate_limit', ['glm']],
    ['F15.status', 'taken, and could not be read', 'upload', 'provider_error', ['kimi', 'glm']],
    ['F15.extract', 'its text could not be extracted', 'content', 'provider_error', ['kimi']],
    ['F15.server', 'its text could not be extracted', 'content', 'provider_error', ['kimi']],
  ] as const
).map(([id, what, ask, errorClass, who]): FaultRow => ({
  fault: 'F15',
  what,
  plan: { id },
  ask,
  deliveries: WHOLE,
  who,
  expect: failed(errorClass),
}));
