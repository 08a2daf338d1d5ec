import { BY_CLASS } from './routing-by-class.ts';
import { BY_NAME, BY_PREFERENCE } from './routing-by-preference.ts';
import { BY_STATE } from './routing-by-state.ts';
import { BY_TOOL } from './routing-by-tool.ts';
import type { RoutingRow } from './routing-row.ts';

/** Every decision that is promised, by what decides it. */
export const ROUTING_TABLE: readonly RoutingRow[] = [
  ...BY_CLASS,
  ...BY_TOOL,
  ...BY_PREFERENCE,
  ...BY_NAME,
  ...BY_STATE,
];
