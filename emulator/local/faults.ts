import type { FaultAnswer } from '../vendor.ts';
import { CALL_FAULT_IDS } from './openai/calls.ts';
import { FORMAT_FAULTS } from './openai/ignored.ts';

/** Faults that a local server answers itself, in the way that they tell. */
const THROUGH = [
  'F7.choice',
  'F7.top',
  'F7.missing',
  ...CALL_FAULT_IDS,
  'F11.error',
  ...Object.keys(FORMAT_FAULTS),
  'F13',
  'F21',
];

export const throughFaults = (): Readonly<Record<string, FaultAnswer>> =>
  Object.fromEntries(THROUGH.map((id) => [id, (): 'through' => 'through']));
