import type { FaultAnswer } from '../vendor.ts';
import { refuse } from './errors.ts';

export const COMPOSIO_FAULT_OPTIONS = { F1: ['seconds'] };

export const COMPOSIO_FAULTS: Readonly<Record<string, FaultAnswer>> = {
  F1: async (_ask, reply, fault): Promise<'answered'> => {
    const seconds = String(Number(fault.with?.['seconds'] ?? 1));
    await refuse(
      reply,
      { status: 429, message: 'Too many requests', code: 10_429 },
      { 'retry-after': seconds },
    );
    return 'answered';
  },
  F3: async (_ask, reply): Promise<'answered'> => {
    await refuse(reply, { status: 503, message: 'Service unavailable', code: 10_503 });
    return 'answered';
  },
  // 200 with an error in it.
  'F17.unsuccessful': () => 'through',
  // The session and its MCP address are gone.
  'F17.session': () => 'through',
  // The address for an upload has expired.
  'F17.presigned': () => 'through',
  // The three minutes of the workbench are over.
  'F17.workbench': () => 'through',
  // Every second item of a batch fails.
  F22: () => 'through',
  // The connection that the tool needs is missing.
  F23: () => 'through',
};
