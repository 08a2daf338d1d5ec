import type { Category } from '#core/tool.ts';

/** What a tool is to the rules; `other` is whoever stands in no set. */
export type ToolKind = 'kimi' | 'deep' | 'workflow' | 'simple' | 'agent' | 'gateway' | 'other';

export interface ToolFacts {
  readonly kind: ToolKind;
  readonly category: Category;
  readonly affinity?: 'kimi' | 'glm';
}

const KIMI: ToolFacts = { kind: 'kimi', category: 'balanced', affinity: 'kimi' };
const DEEP: ToolFacts = { kind: 'deep', category: 'extended_reasoning' };
const WORKFLOW: ToolFacts = { kind: 'workflow', category: 'extended_reasoning' };
const SIMPLE: ToolFacts = { kind: 'simple', category: 'fast_response' };
const GLM: ToolFacts = { ...SIMPLE, affinity: 'glm' };

/** The tools that the rules know by name, whether they are built or only asked about. */
export const TOOL_SETS: ReadonlyMap<string, ToolFacts> = new Map<string, ToolFacts>([
  ['kimi_chat_with_tools', KIMI],
  ['kimi_upload_and_extract', KIMI],
  ['kimi_multi_file_chat', KIMI],
  ['kimi_manage_files', KIMI],
  ['kimi_capture_headers', KIMI],

  ['thinkdeep', DEEP],
  ['consensus', DEEP],
  ['docgen', DEEP],
  ['secaudit', DEEP],

  ['analyze', WORKFLOW],
  ['debug', WORKFLOW],
  ['codereview', WORKFLOW],
  ['precommit', WORKFLOW],
  ['refactor', WORKFLOW],
  ['testgen', WORKFLOW],
  ['planner', WORKFLOW],
  ['tracer', { ...WORKFLOW, category: 'balanced' }],

  ['chat', SIMPLE],
  ['apilookup', { ...SIMPLE, category: 'balanced' }],
  ['challenge', SIMPLE],
  ['status', SIMPLE],
  ['health', SIMPLE],
  ['provider_capabilities', SIMPLE],
  ['listmodels', SIMPLE],
  ['activity', SIMPLE],
  ['version', SIMPLE],
  ['toolcall_log_tail', SIMPLE],
  ['self-check', SIMPLE],
  ['glm_web_search', GLM],
  ['glm_upload_file', GLM],
  ['glm_payload_preview', GLM],

  ['agent', { kind: 'agent', category: 'extended_reasoning', affinity: 'glm' }],

  ['gateway_chat', { kind: 'gateway', category: 'balanced' }],
]);

export function toolKind(name: string): ToolKind {
  return TOOL_SETS.get(name)?.kind ?? 'other';
}

/** Category and affinity of a tool that is known by its name alone. */
export function toolFacts(name: string): Pick<ToolFacts, 'category' | 'affinity'> | undefined {
  const known = TOOL_SETS.get(name);
  if (!known) return undefined;
  const { category, affinity } = known;
  return { category, ...(affinity && { affinity }) };
}

/** Whether what is asked is a question of its own, so that its words may decide where it goes. */
export function isChatLike(name: string): boolean {
  const kind = toolKind(name);
  return kind === 'simple' || kind === 'gateway' || kind === 'other';
}
