import * as z from 'zod';
import type { AskedBy, AskRequest, Manager } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import { normaliseToolName } from '#core/tool-name.ts';
import type { Tool } from '#core/tool.ts';
import { isUnread } from './asking/given-files.ts';
import { readAskRequest } from './asking/read-request.ts';
import { explanationContent, ExplanationShape } from './reporting/explanation.ts';
import { explanationWords } from './reporting/explanation-words.ts';
import { toldOnce } from './reporting/told-once.ts';
import { ownsMachine } from './reporting/viewer.ts';

export interface RouteDeps {
  readonly manager: Pick<Manager, 'explain'>;
  /** A tool that this caller may use. */
  readonly find: (name: string, caller: Caller) => Tool | undefined;
  /** Something that a door runs for what it serves, where this caller may use it. */
  readonly operation: (name: string, caller: Caller) => ExplainedOperation | undefined;
  /** What routing knows of a tool by its name alone. */
  readonly toolFacts: (name: string) => Pick<Tool, 'category' | 'affinity'> | undefined;
  /** `, did you mean "x"?` or nothing. */
  readonly suggest: (name: string, caller: Caller) => string;
}

/** An operation, and what it is called with for the body of a request as clients send it. */
export interface ExplainedOperation {
  readonly tool: Tool;
  read(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

const OPERATIONS: readonly string[] = Object.values(GATEWAY_OPERATIONS);
const MAX_NAME_CHARS = 128;

export function route(deps: RouteDeps): Tool {
  return defineTool({
    name: 'route',
    title: 'Route',
    description:
      'Which model would answer a call, and why: facts, rules, the chain of fallbacks, and the very request with payload: true. Asks no model and costs nothing.',
    input: z.strictObject({
      tool: z.string().min(1).max(MAX_NAME_CHARS).default('chat').describe('The tool to explain.'),
      args: z
        .record(z.string(), z.unknown())
        .default({})
        .describe(
          'Its arguments, such as {"prompt": "…"}; for gateway_chat the body of a request to /v1/chat/completions.',
        ),
      payload: z.boolean().default(false).describe('Also the request that would be sent.'),
    }),
    output: ExplanationShape,
    effect: 'reads',
    profile: 'full',
    async run({ tool: name, args, payload }, context) {
      const { reqId, caller, deadline, signal } = context;
      const { tool, category, affinity, request, panel } = lookUp(name, args, caller, deps);
      const by: AskedBy = {
        reqId,
        tool,
        caller,
        deadline,
        signal,
        category,
        ...(affinity && { affinity }),
        // Explaining asks nobody, so there is never a second.
        nextAttempt: () => 1,
      };
      const wanted = payload ? 'with_payload' : 'plan_only';
      const explanation = await deps.manager.explain(request, by, wanted);
      const unread = (request.files ?? []).filter(isUnread).length;
      const viewer = ownsMachine(caller) ? 'owner' : 'client';
      const content = explanationContent(explanation, { panel, unread }, viewer);
      const shown = explanationContent(toldOnce(explanation), { panel, unread }, viewer);
      return { text: explanationWords(shown), content };
    },
  });
}

interface Asked extends Pick<Tool, 'category' | 'affinity'> {
  readonly tool: string;
  readonly request: AskRequest;
  /** Names of those who are asked the same at once; none where one is asked. */
  readonly panel: readonly string[];
}

function lookUp(
  name: string,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  { find, operation, toolFacts, suggest }: RouteDeps,
): Asked {
  const spellings = spellingsOf(name);
  for (const spelling of spellings) {
    const tool = find(spelling, caller);
    if (tool) return asked(tool, () => tool.parse(args));
    const found = operation(spelling, caller);
    if (found) return asked(found.tool, () => found.read(args));
    // Its arguments are nobody else's, so what is known by its name alone explains nothing.
    if (OPERATIONS.includes(spelling)) throw noOperation(spelling);
  }
  for (const spelling of spellings) {
    const facts = toolFacts(spelling);
    if (facts) return { ...facts, tool: spelling, request: readAskRequest(args), panel: [] };
  }
  const shown = oneLine(name, MAX_NAME_CHARS);
  throw new CallError('not_found', `There is no tool "${shown}"${suggest(name, caller) || '.'}`, {
    field: 'tool',
    fixes: [fix('list_tools'), fix('omit_argument', { argument: 'tool' })],
  });
}

function noOperation(name: string): CallError {
  return new CallError(
    'not_found',
    `There is no ${name} for you: the gateway is switched off (gateway.enabled), or you may not use it.`,
    { field: 'tool', fixes: [fix('explain_access', { tool: name })] },
  );
}

function asked(tool: Tool, read: () => Readonly<Record<string, unknown>>): Asked {
  const { name, category, affinity } = tool;
  const would = tool.wouldAsk && tool.wouldAsk(read());
  if (!would) {
    throw new CallError('validation', `${name} has no route: it asks no model for an answer.`, {
      field: 'tool',
      fix: 'Name one that does, such as chat.',
    });
  }
  if ('asksNobody' in would) {
    throw new CallError(
      'validation',
      `${name} asks no model with these arguments: ${would.asksNobody}.`,
      { field: 'args', fix: 'Give arguments with which it asks one.' },
    );
  }
  const about = { tool: name, category, ...(affinity && { affinity }) };
  if (!('asksEach' in would)) return { ...about, request: would, panel: [] };
  const [request] = would.asksEach;
  return { ...about, request, panel: would.asksEach.map(({ model = 'auto' }) => model) };
}

/** As it was written, as older clients and agents mean it, and as tools are spelt. */
function spellingsOf(name: string): readonly string[] {
  const bare = normaliseToolName(name.trim());
  return [...new Set([name, bare, bare.toLowerCase().replaceAll(/[\s-]+/g, '_')])];
}
