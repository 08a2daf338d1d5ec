import { isObject, type Dictionary } from '../is-object.ts';
import type { GlmError } from './errors.ts';
import type { GlmSwitches } from './switches.ts';

const MAX_TOOLS = 128;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const ENGINES: Readonly<Record<GlmSwitches['host'], readonly unknown[]>> = {
  zai: ['search_pro_jina', 'search-prime'],
  bigmodel: ['search_std', 'search_pro', 'search_pro_sogou', 'search_pro_quark'],
};

export const RECENCIES: readonly unknown[] = [
  'oneDay',
  'oneWeek',
  'oneMonth',
  'oneYear',
  'noLimit',
];

export function checkTools(body: Dictionary, switches: GlmSwitches): GlmError | undefined {
  const tools: unknown = body['tools'];
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return { code: '1214', about: 'tools' };
  if (tools.length > MAX_TOOLS)
    return { code: '1210', detail: `At most ${MAX_TOOLS} tools are allowed.` };
  for (const tool of tools as readonly unknown[]) {
    const error = isObject(tool)
      ? checkTool(tool, switches)
      : ({ code: '1214', about: 'tools' } as const);
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkTool(tool: Dictionary, switches: GlmSwitches): GlmError | undefined {
  switch (tool['type']) {
    case 'function':
      return checkFunction(tool['function']);
    case 'web_search':
      return checkWebSearch(tool['web_search'], switches);
    case 'retrieval': {
      const requested = tool['retrieval'];
      if (isObject(requested) && typeof requested['knowledge_id'] === 'string') return undefined;
      return { code: '1213', about: 'tools.retrieval.knowledge_id' };
    }
    case 'mcp': {
      if (switches.host !== 'bigmodel') return { code: '1214', about: 'tools.type' };
      const requested = tool['mcp'];
      if (isObject(requested) && typeof requested['server_label'] === 'string') return undefined;
      return { code: '1213', about: 'tools.mcp.server_label' };
    }
    default:
      return { code: '1214', about: 'tools.type' };
  }
}

function checkFunction(requested: unknown): GlmError | undefined {
  if (!isObject(requested)) return { code: '1213', about: 'tools.function' };
  if (typeof requested['name'] !== 'string' || !NAME.test(requested['name']))
    return { code: '1214', about: 'tools.function.name' };
  if (typeof requested['description'] !== 'string' || requested['description'] === '')
    return { code: '1213', about: 'tools.function.description' };
  const parameters = requested['parameters'];
  if (parameters !== undefined && parameters !== null && !isObject(parameters))
    return { code: '1214', about: 'tools.function.parameters' };
  return undefined;
}

function checkWebSearch(requested: unknown, switches: GlmSwitches): GlmError | undefined {
  if (!isObject(requested)) return { code: '1213', about: 'tools.web_search' };
  const {
    search_engine: engine,
    count,
    search_recency_filter: recency,
    content_size: size,
  } = requested;
  if (engine === undefined) return { code: '1213', about: 'tools.web_search.search_engine' };
  if (!ENGINES[switches.host].includes(engine))
    return { code: '1214', about: 'tools.web_search.search_engine' };
  if (count !== undefined && !isCount(count))
    return { code: '1214', about: 'tools.web_search.count' };
  if (recency !== undefined && !RECENCIES.includes(recency))
    return { code: '1214', about: 'tools.web_search.search_recency_filter' };
  if (size !== undefined && size !== 'medium' && size !== 'high')
    return { code: '1214', about: 'tools.web_search.content_size' };
  return undefined;
}

/** Some clients send it as text. */
export const isCount = (count: unknown): boolean =>
  (typeof count === 'number' || typeof count === 'string') &&
  Number.isInteger(Number(count)) &&
  Number(count) >= 1 &&
  Number(count) <= 50;
