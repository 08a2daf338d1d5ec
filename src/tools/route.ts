import * as z from 'zod';
import type { AskContext, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Caller } from '#core/calls/call.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { RouteExplanation } from '#core/llm/route.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { normaliseToolName } from '#core/tools/tool-name.ts';
import type { Tool } from '#core/tools/tool.ts';
import { readForExplanation, type PreviewedRequest } from './shared/read-for-explanation.ts';
import type { FileArgument } from './shared/attachments.ts';
import { panelistError } from './shared/panelist-error.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { explanationContent, ExplanationShape } from './reporting/explanation.ts';
import { dedupeExplanation, renderExplanation } from './reporting/render-explanation.ts';
import { isMachineOwner } from './reporting/visibility.ts';

export interface RouteDeps {
  readonly manager: Pick<Manager, 'explain'>;
  readonly fileIntake: FileIntake;
  /** Finds a tool that this caller may use. */
  readonly find: (name: string, caller: Caller) => Tool | undefined;
  /** Finds a gateway operation that this caller may use. */
  readonly operation: (name: string, caller: Caller) => ExplainedOperation | undefined;
  /** What routing knows of a tool name. */
  readonly toolFacts: (name: string) => Pick<Tool, 'category' | 'affinity'> | undefined;
  /** `, did you mean "x"?` or an empty string. */
  readonly suggest: (name: string, caller: Caller) => string;
}

/** A gateway operation, with the conversion of a client's request body to its arguments. */
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
      const { tool, category, affinity, panel, ...found } = lookUp(name, args, caller, deps);
      const read = await readForExplanation(found, deps.fileIntake, context);
      if ('inputRequests' in read) return read;
      const { request, notices: fileNotices } = read;
      const by: AskContext = {
        reqId,
        tool,
        caller,
        deadline,
        signal,
        category,
        ...(affinity && { affinity }),
        // Explaining sends nothing, so there is no second attempt.
        nextAttempt: () => 1,
      };
      const wanted = payload ? 'with_payload' : 'plan_only';
      const explained = await deps.manager.explain(request, by, wanted);
      const explanation = panel.length === 0 ? explained : forPanel(explained);
      const unread = (request.files ?? []).filter(({ isUnread }) => isUnread).length;
      const viewer = isMachineOwner(caller) ? 'owner' : 'client';
      const details = { panel, unread, fileNotices };
      const content = explanationContent(explanation, details, viewer);
      const shown = explanationContent(dedupeExplanation(explanation), details, viewer);
      return { text: renderExplanation(shown), content };
    },
  });
}

/** The explanation for a model of a panel. */
function forPanel(explanation: RouteExplanation): RouteExplanation {
  const { error } = explanation;
  if (!error) return explanation;
  return { ...explanation, error: panelistError(CallError.fromJSON(error)).toJSON() };
}

interface RoutedRequest extends Pick<Tool, 'category' | 'affinity'>, PreviewedRequest {
  readonly tool: string;
  /** Models that are asked the same question; empty if only one is asked. */
  readonly panel: readonly string[];
}

function lookUp(
  name: string,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  { find, operation, toolFacts, suggest }: RouteDeps,
): RoutedRequest {
  const spellings = spellingsOf(name);
  for (const spelling of spellings) {
    const tool = find(spelling, caller);
    if (tool) return routedRequest(tool, () => tool.parse(args), caller);
    const found = operation(spelling, caller);
    if (found) return routedRequest(found.tool, () => found.read(args), caller);
    // Its arguments are unlike those of tools, so the name alone explains nothing.
    if (OPERATIONS.includes(spelling)) throw noOperation(spelling);
  }
  for (const spelling of spellings) {
    const facts = toolFacts(spelling);
    if (facts) {
      // Perhaps a tool that the caller may not use, so no file is read for it.
      const request = readAskRequest(args);
      return { ...facts, tool: spelling, request, reads: 'nothing', images: [], panel: [] };
    }
  }
  const shown = oneLine(name, MAX_NAME_CHARS);
  const what = { tool: shown, hint: suggest(name, caller) };
  throw codedError('not_found', reason('unknown_tool', what), {
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

function routedRequest(
  tool: Tool,
  read: () => Readonly<Record<string, unknown>>,
  caller: Caller,
): RoutedRequest {
  const { name, category, affinity } = tool;
  const args = tool.previewAsk ? read() : {};
  const preview = tool.previewAsk?.(args, caller);
  if (!preview) {
    throw new CallError('validation', `${name} has no route: it asks no model for an answer.`, {
      field: 'tool',
      fix: 'Name one that does, such as chat.',
    });
  }
  if ('noAskBecause' in preview) {
    throw new CallError(
      'validation',
      `${name} asks no model with these arguments: ${preview.noAskBecause}.`,
      { field: 'args', fix: 'Give arguments with which it asks one.' },
    );
  }
  const { images } = args;
  const about = {
    tool: name,
    category,
    ...(affinity && { affinity }),
    reads: 'files' as const,
    images: Array.isArray(images) ? (images as readonly FileArgument[]) : [],
  };
  if (!('askMany' in preview)) return { ...about, request: preview, panel: [] };
  const [request] = preview.askMany;
  return { ...about, request, panel: preview.askMany.map(({ model = 'auto' }) => model) };
}

/** The name as given, without client prefixes, and in the spelling of tools. */
function spellingsOf(name: string): readonly string[] {
  const bare = normaliseToolName(name.trim());
  return [...new Set([name, bare, bare.toLowerCase().replaceAll(/[\s-]+/g, '_')])];
}
