import { contentWords } from '../answer/content-words.ts';
import { isObject, type Dictionary } from '../is-object.ts';
import type { Executing } from './execute.ts';
import type { ToolOutcome } from './run-tool.ts';
import { accountOf } from './state.ts';
import type { ComposioTool } from './toolkits.ts';

const PRIMARY = 2;
const RELATED = 3;

export function toolSchema(tool: ComposioTool): Dictionary {
  return {
    tool_slug: tool.slug,
    toolkit: tool.toolkit,
    description: tool.description,
    input_schema: tool.input,
    hasFullSchema: true,
  };
}

/** COMPOSIO_SEARCH_TOOLS, and `POST …/search`: the tools that share most words with each use case. */
export function searchTools(
  { state, session, ask }: Executing,
  { queries }: Dictionary,
  workflow: Dictionary,
): ToolOutcome & { readonly found?: number } {
  const useCases = Array.isArray(queries)
    ? queries.map((one) => (isObject(one) ? one['use_case'] : one))
    : [];
  if (useCases.length === 0 || !useCases.every((one) => typeof one === 'string'))
    return { error: "Invalid request data provided\n- Following fields are missing: {'queries'}" };
  const schemas: Dictionary = {};
  const toolkits = new Set<string>();
  const results = useCases.map((useCase, at) => {
    const found = bestFor(state.catalogue().tools, useCase);
    const [primary, related] = [found.slice(0, PRIMARY), found.slice(PRIMARY, PRIMARY + RELATED)];
    for (const tool of primary) {
      schemas[tool.slug] = toolSchema(tool);
      toolkits.add(tool.toolkit);
    }
    return {
      index: at + 1,
      use_case: useCase,
      primary_tool_slugs: primary.map(({ slug }) => slug),
      related_tool_slugs: related.map(({ slug }) => slug),
      toolkits: [...new Set(primary.map(({ toolkit }) => toolkit))],
      execution_guidance: 'Call the primary tools first.',
      recommended_plan_steps: primary.map(({ slug }) => `Call ${slug}.`),
      known_pitfalls: [],
      difficulty: 'easy',
      plan_id: state.newId('plan_'),
      memory: {},
      reference_workbench_snippets: [],
    };
  });
  const seconds = Math.floor(ask.now() / 1000);
  const data = {
    results,
    tool_schemas: schemas,
    toolkit_connection_statuses: [...toolkits].map((toolkit) => {
      const isOpen = state.catalogue().toolkit(toolkit)?.noAuth === true;
      const isActive = isOpen || accountOf(state, session.userId, toolkit)?.status === 'ACTIVE';
      return {
        toolkit,
        description: state.catalogue().toolkit(toolkit)?.about ?? '',
        has_active_connection: isActive,
        status_message: isActive ? 'Connection is active' : 'No active connection',
        accounts: [],
      };
    }),
    session: { generate_id: true, ...workflow },
    time_info: {
      current_time_utc: new Date(ask.now()).toISOString(),
      current_time_utc_epoch_seconds: seconds,
      message: 'The time of the server.',
    },
    next_steps_guidance: ['Call COMPOSIO_MULTI_EXECUTE_TOOL with the slugs above.'],
  };
  const failed = results.filter((one) => one.primary_tool_slugs.length === 0).length;
  if (failed === 0) return { data };
  return { data, error: `${failed} out of ${results.length} searches failed, reasons: no tools` };
}

function bestFor(tools: readonly ComposioTool[], useCase: string): readonly ComposioTool[] {
  const wanted = new Set(contentWords(useCase));
  return tools
    .map((tool) => {
      const words = contentWords(`${tool.slug.replaceAll('_', ' ')} ${tool.description}`);
      return { tool, score: new Set(words.filter((word) => wanted.has(word))).size };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}
