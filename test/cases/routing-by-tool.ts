import { K26, K3, FLASH, GLM, by, type RoutingRow } from './routing-row.ts';

const MORE = { more: 'yes', number: 1 } as const;
const LAST = { more: 'no', number: 3 } as const;

/** By the name of the tool and its step. */
export const BY_TOOL: readonly RoutingRow[] = [
  ...['kimi_chat_with_tools', 'kimi_upload_and_extract', 'kimi_multi_file_chat'].map((tool) => ({
    says: `${tool} goes to KIMI_SPEED_MODEL`,
    facts: by(tool),
    rule: 'kimi-tool',
    first: K26,
    thinking: 'off' as const,
  })),
  ...['chat', 'status', 'provider_capabilities', 'listmodels', 'activity', 'version'].map(
    (tool) => ({
      says: `${tool} goes to GLM_SPEED_MODEL`,
      facts: by(tool),
      rule: 'simple-tool',
      first: FLASH,
      thinking: 'off' as const,
    }),
  ),
  ...['thinkdeep', 'consensus', 'docgen', 'secaudit'].map((tool) => ({
    says: `${tool} goes to KIMI_QUALITY_MODEL at every step`,
    facts: by(tool, { step: MORE }),
    rule: 'deep-tool',
    first: K3,
    next: [GLM, FLASH],
    thinking: 'on' as const,
  })),
  ...[
    'analyze',
    'debug',
    'codereview',
    'refactor',
    'testgen',
    'precommit',
    'planner',
    'tracer',
  ].flatMap((tool): readonly RoutingRow[] => [
    {
      says: `${tool} begins with GLM_SPEED_MODEL when more steps are to come`,
      facts: by(tool, { step: MORE }),
      rule: 'early-step',
      first: FLASH,
      thinking: 'off',
    },
    {
      says: `${tool} ends with KIMI_QUALITY_MODEL`,
      facts: by(tool, { step: LAST }),
      rule: 'decisive-step',
      first: K3,
    },
    {
      says: `${tool} goes to KIMI_QUALITY_MODEL when nobody says which step it is`,
      facts: by(tool),
      rule: 'decisive-step',
      first: K3,
    },
    {
      says: `${tool} goes to KIMI_QUALITY_MODEL when it is unknown whether more is to come`,
      facts: by(tool, { step: { number: 1, more: 'unknown' } }),
      rule: 'decisive-step',
      first: K3,
    },
    {
      says: `${tool} goes to KIMI_QUALITY_MODEL with depth deep`,
      facts: by(tool, { step: { ...MORE, depth: 'deep' } }),
      rule: 'decisive-step',
      first: K3,
    },
  ]),
  {
    says: 'analyze is quick in its first step only',
    facts: by('analyze', { step: { number: 2, more: 'yes' } }),
    rule: 'decisive-step',
    first: K3,
  },
  {
    says: 'debug stays quick while more steps are to come',
    facts: by('debug', { step: { number: 2, more: 'yes' } }),
    rule: 'early-step',
    first: FLASH,
  },
];
