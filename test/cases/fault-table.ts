import { BREAKS } from './provider-fault-breaks.ts';
import { FILE_FAULTS } from './provider-fault-files.ts';
import { REFUSALS } from './provider-fault-refusals.ts';
import { REPAIRS } from './provider-fault-repairs.ts';
import type { FaultRow } from './provider-fault-row.ts';

/**
 * Every fault of the facts that happens to a model vendor, and the streams of the failover matrix,
 * with what comes of them.
 */
export const FAULT_TABLE: readonly FaultRow[] = [
  ...REFUSALS,
  ...BREAKS,
  ...REPAIRS,
  ...FILE_FAULTS,
].toSorted((a, b) => Number(a.fault.slice(1)) - Number(b.fault.slice(1)));
