import type { FaultAnswer } from '../vendor.ts';
import { CALL_FAULT_IDS } from './calls.ts';
import { FORMAT_FAULTS } from './ignored.ts';

const EVERYBODYS = [
  'F7.choice',
  'F7.top',
  'F7.missing',
  ...CALL_FAULT_IDS,
  'F11.error',
  ...Object.keys(FORMAT_FAULTS),
  'F13',
  'F21',
];

/** Faults that a vendor answers itself: those of every vendor, and its own. */
export const throughFaults = (...own: readonly string[]): Readonly<Record<string, FaultAnswer>> =>
  Object.fromEntries([...EVERYBODYS, ...own].map((id) => [id, (): 'through' => 'through']));
