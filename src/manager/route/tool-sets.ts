import type { Category } from '#core/tools/tool.ts';

/** The kind of a tool for routing rules; `other` is a tool in no set. */
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

/** Tools that routing rules know by name, whether they exist or are only explained. */
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
  ['describe_image', { ...SIMPLE, category: 'balanced' }],
  ['status', SIMPLE],
  ['health', SIMPLE],
  ['provider_capabilities', SIMPLE],
  ['listmodels', SIMPLE],
  ['activity', SIMPLE],
  ['version', SIMPLE],
  ['toolcall_log_tail', SIMPLE],
  ['self-check', SIMPLE],
  ['web_search', GLM],
  ['read_web', SIMPLE],
  ['glm_web_search', GLM],
  ['glm_web_reader', GLM],
  ['glm_upload_file', GLM],
  ['glm_payload_preview', GLM],

  ['agent', { kind: 'agent', category: 'extended_reasoning', affinity: 'glm' }],

  ['gateway_chat', { kind: 'gateway', category: 'balanced' }],
]);

export function toolKind(name: string): ToolKind {
  return TOOL_SETS.get(name)?.kind ?? 'other';
}

/** Category and affinity of a tool by its name. */
export function toolFacts(name: string): Pick<ToolFacts, 'category' | 'affinity'> | undefined {
  const known = TOOL_SETS.get(name);
  if (!known) return undefined;
  const { category, affinity } = known;
  return { category, ...(affinity && { affinity }) };
}

/** Whether a tool sends free-form questions, so that their text may decide the route. */
export function isChatLike(name: string): boolean {
  const kind = toolKind(name);
  return kind === 'simple' || kind === 'gateway' || kind === 'other';
}
