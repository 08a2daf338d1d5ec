import * as z from 'zod';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { foldNames, nearestOf, oneLine } from '#core/text/text.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { nameOfSlug, normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';
import { pause } from '#core/turns.ts';
import { usableTools } from '../resources/tool-catalogue.ts';
import type { SearchDeps } from './search-tools.ts';
import { callerName, renderToolHelp } from './tool-help.ts';

const MAX_NAMES = 50;
const MAX_SHOWN_CHARS = 128;
const MAX_NEAREST = 3;

/** Names of the argument that other hubs have. */
const OTHER_NAMES = ['tool_slugs', 'tools', 'slugs', 'tool_names', 'name', 'tool_slug'] as const;
const IGNORED = ['session_id', 'session', 'include', 'thought'] as const;

/** Gives the arguments of several tools at once. */
export function getToolSchemas({
  catalogue,
  explainUnknown = () => undefined,
}: Pick<SearchDeps, 'catalogue' | 'explainUnknown'>): Tool {
  return defineTool({
    name: 'get_tool_schemas',
    title: 'Get tool schemas',
    description: 'Gets the full help and input schemas of several tools by their names.',
    input: z.strictObject({ names: z.array(z.string()).min(1).max(MAX_NAMES) }),
    output: z.strictObject({
      tool_schemas: z.record(
        z.string(),
        z.strictObject({
          title: z.string(),
          description: z.string(),
          call_with: z.string(),
          input_schema: z.looseObject({}),
        }),
      ),
      not_found: z.array(z.strictObject({ name: z.string(), nearest: z.array(z.string()) })),
    }),
    renameArguments: renamed,
    effect: 'reads',
    profile: 'standard',
    reaches: 'all',
    async run({ names }, { caller }) {
      const usable = usableTools(caller, catalogue);
      const byName = new Map(usable.map((each) => [each.tool.name, each]));
      const wanted = [...new Set(names)];
      const find = (name: string) =>
        byName.get(name) ?? byName.get(normaliseToolName(name)) ?? byName.get(nameOfSlug(name));
      const found = wanted.flatMap((name) => find(name) ?? []);
      const missing = await nearMissing(
        wanted.filter((name) => find(name) === undefined),
        [...byName.keys()],
      );
      if (found.length === 0) {
        const [first = ''] = wanted;
        throw explainUnknown(first, caller) ?? noneFound(missing);
      }
      const help = found.map((each) => renderToolHelp(each, usable));
      const notFound = missing.map(
        ({ name, nearest }) =>
          `- ${name}: there is no such tool${nearest.length === 0 ? '' : `; near it: ${nearest.join(', ')}`}.`,
      );
      return {
        text: [...help, ...(notFound.length === 0 ? [] : [notFound.join('\n')])].join(
          '\n\n---\n\n',
        ),
        content: {
          tool_schemas: Object.fromEntries(
            found.map((each) => [
              each.tool.name,
              {
                title: each.tool.title,
                description: each.tool.description,
                call_with: callerName(each, usable),
                input_schema: each.tool.inputSchema,
              },
            ]),
          ),
          not_found: missing,
        },
      };
    },
  });
}

function renamed(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = { ...args };
  for (const name of IGNORED) delete given[name];
  for (const name of OTHER_NAMES) {
    if (!Object.hasOwn(given, name)) continue;
    given['names'] ??= given[name];
    delete given[name];
  }
  const { names } = given;
  if (typeof names === 'string') given['names'] = [names];
  return given;
}

/** Each name is compared with up to ten thousand, in one turn. */
async function nearMissing(missing: readonly string[], known: readonly string[]) {
  const near: { readonly name: string; readonly nearest: string[] }[] = [];
  if (missing.length === 0) return near;
  const folded = foldNames(known, String);
  for (const name of missing) {
    // oxlint-disable-next-line no-await-in-loop -- one in each turn
    await pause();
    const nearest = nearestOf(normaliseToolName(name), folded, MAX_NEAREST);
    near.push({ name: oneLine(name, MAX_SHOWN_CHARS), nearest });
  }
  return near;
}

function noneFound(
  missing: readonly { readonly name: string; readonly nearest: readonly string[] }[],
): CallError {
  const [{ name, nearest } = { name: '', nearest: [] }] = missing;
  const hint = nearest.length === 0 ? '.' : `, did you mean "${nearest[0]}"?`;
  return codedError('not_found', reason('unknown_tool', { tool: name, hint }), {
    field: 'names',
    fixes: [fix('list_tools')],
  });
}
