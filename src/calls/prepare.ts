import { clientNameOf } from '#core/client-name.ts';
import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallRequest } from '#core/calls.ts';
import type { Decision } from '#core/decision.ts';
import { command, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { didYouMean } from '#core/nearest.ts';
import { oneLine } from '#core/one-line.ts';
import type { ClientMetadata } from '#core/request-metadata.schema.ts';
import type { Tool } from '#core/tool.ts';
import { argsDigest } from './args-digest.ts';
import { NO_ANSWERS, type Answers, type Asking } from '#core/question.ts';
import { withoutConsent, type Consents } from './consent.ts';
import { decide, isCallable } from './decide.ts';
import { decideOffer } from './decide-offer.ts';
import type { Library } from './library.ts';
import type { Offer } from './offer.ts';
import type { Registry } from './registry.ts';
import type { RoundState, StateOwner, StateSeal } from './request-state.ts';
import { METADATA_KEY, readClientMetadata } from './request-metadata.ts';

/** What is known of a call before it runs. Filled step by step, so that the audit of a refused call says what it can. */
export interface Draft {
  toolName: string;
  tool?: Tool;
  /** What it stands for, where it is no tool of its own. */
  offer?: Offer;
  args: Readonly<Record<string, unknown>>;
  argsSha256: string;
  clientMetadata?: ClientMetadata;
  /** Of all rounds so far. */
  answers: Answers;
}

/** Where calls find what they are for, and whether what they bring back is ours. */
export interface Sources {
  readonly registry: Registry;
  readonly library: Library;
  readonly seal: StateSeal;
  readonly consents: Consents;
}

const MAX_NAME_CHARS = 128;

export function createDraft({ tool, answers = NO_ANSWERS }: CallRequest): Draft {
  return {
    toolName: tool.slice(0, MAX_NAME_CHARS),
    args: {},
    argsSha256: '',
    // Before anything was asked a client may know what will be, but nobody has said yes yet.
    answers: withoutConsent(answers),
  };
}

/**
 * Is there such a thing, may the caller, are the arguments right: fills the draft, or throws what is wrong. What its
 * caller must be asked before it may run is asked for.
 */
export function prepare(draft: Draft, request: CallRequest, sources: Sources): Tool | Asking {
  const { caller, kind = 'tool' } = request;
  const tool = kind === 'tool' ? toolOf(draft, request, sources) : offered(draft, request, sources);
  const decision = draft.offer
    ? decideOffer(caller, draft.offer, sources.registry)
    : decide(caller, tool);
  const isAsking = decision.verdict === 'ask';
  if (!isCallable(decision) && !(isAsking && request.askable?.includes('form'))) {
    throw refused(draft, request, decision);
  }
  if (kind === 'operation') takeArgs(draft, request);
  else readArgs(draft, tool, kind === 'resource' ? { uri: request.tool } : objectOf(request.args));
  const round = openState(draft, request, sources.seal);
  if (round) draft.answers = { ...round.answers, ...answersTo(round.asked, request.answers) };
  return isAsking ? (sources.consents.ask(request, draft, round) ?? tool) : tool;
}

/** What was asked, and nothing beside it. */
function answersTo(asked: readonly string[], given: Answers = NO_ANSWERS): Answers {
  const entries = asked.flatMap((name) => {
    const answer = Object.hasOwn(given, name) ? given[name] : undefined;
    return answer ? [[name, answer] as const] : [];
  });
  return Object.fromEntries(entries);
}

function openState(draft: Draft, request: CallRequest, seal: StateSeal): RoundState | undefined {
  return request.state === undefined
    ? undefined
    : seal.open(ownerOf(draft, request), request.state);
}

/** Whom what a call is to remember belongs to. */
export function ownerOf({ toolName, argsSha256 }: Draft, { caller }: CallRequest): StateOwner {
  const { principal, credential = '' } = caller;
  return { principal, credential, tool: toolName, argsSha256 };
}

function toolOf(draft: Draft, { tool: name, caller }: CallRequest, { registry }: Sources): Tool {
  const tool = registry.find(name);
  if (!tool) throw unknownTool(draft.toolName, caller, registry);
  draft.tool = tool;
  draft.toolName = tool.name;
  return tool;
}

function offered(draft: Draft, request: CallRequest, sources: Sources): Tool {
  const { kind, tool: name } = request;
  const { library } = sources;
  const offer = inLibrary(library, kind, name);
  draft.toolName = `${kind}:${draft.toolName}`.slice(0, MAX_NAME_CHARS);
  if (!offer) throw unknownOffer(kind === 'prompt' ? 'prompt' : 'resource', request, sources);
  draft.tool = offer.tool;
  draft.toolName = offer.tool.name;
  draft.offer = offer;
  return offer.tool;
}

function inLibrary(library: Library, kind: CallRequest['kind'], name: string): Offer | undefined {
  if (kind === 'prompt') return library.prompt(name);
  return kind === 'operation' ? library.operation(name) : library.at(name);
}

/** A door has read them already, in the words of what it serves. */
function takeArgs(draft: Draft, { args, argsSha256 = '' }: CallRequest): void {
  draft.args = objectOf(args);
  draft.argsSha256 = argsSha256;
}

function readArgs(draft: Draft, tool: Tool, given: Record<string, unknown>): void {
  checkCount(given);
  try {
    const { [METADATA_KEY]: metadata, ...args } = given;
    if (metadata !== undefined) draft.clientMetadata = readClientMetadata(metadata);
    draft.args = tool.parse(args);
    draft.argsSha256 = argsDigest(args);
  } catch (thrown) {
    // The stack ends before the nesting does.
    if (thrown instanceof RangeError) throw tooDeep();
    throw thrown;
  }
}

function objectOf(args: unknown): Record<string, unknown> {
  if (args === undefined || args === null) return {};
  if (typeof args === 'object' && !Array.isArray(args)) return args as Record<string, unknown>;
  throw new CallError('validation', 'The arguments must be an object.', {
    field: 'arguments',
    fix: 'Send them as {"name": value, …}, or leave them out.',
  });
}

/** No tool has as many; walking through millions of them would hold up everybody else. */
const MAX_ARGUMENTS = 1000;

function checkCount(given: Readonly<Record<string, unknown>>): void {
  let count = 0;
  for (const _ in given) {
    count += 1;
    if (count <= MAX_ARGUMENTS) continue;
    throw new CallError('validation', `There are more than ${MAX_ARGUMENTS} arguments.`, {
      field: 'arguments',
    });
  }
}

/** Suggests only what the caller may see. */
function unknownTool(name: string, caller: Caller, registry: Registry): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  const hint = registry.suggest(name, (tool) => decide(caller, tool).verdict !== 'deny');
  return new CallError('not_found', `There is no tool "${shown}"${hint || '.'}`, {
    field: 'name',
    fixes: [fix('list_tools')],
  });
}

/** Suggests only what the caller may see. */
function unknownOffer(
  kind: 'prompt' | 'resource',
  { tool: name, caller }: CallRequest,
  { library, registry }: Sources,
): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  const known = library
    .all(kind === 'prompt' ? 'prompts' : 'resources')
    .filter((offer) => decideOffer(caller, offer, registry).verdict !== 'deny');
  const hint = didYouMean(
    shown,
    known.map(({ key }) => key),
  );
  return new CallError('not_found', `There is no ${kind} "${shown}"${hint || '.'}`, {
    field: kind === 'prompt' ? 'name' : 'uri',
    fixes: [fix('list_tools', { kind })],
  });
}

function refused(
  { toolName, offer }: Draft,
  { caller, kind }: CallRequest,
  { verdict, reasons }: Decision,
): CallError {
  // No member of what an operation serves names it.
  const field = kind === 'operation' ? {} : { field: 'name' };
  const explain = fix('explain_access', { tool: offer?.uses ?? toolName, ...clientOf(caller) });
  if (verdict === 'ask') {
    return codedError('permission', reason('tool_needs_consent', { tool: toolName, reasons }), {
      ...field,
      fixes: ['This client cannot be asked.', explain],
    });
  }
  const grant = command(`exai access add <name> --scope ${toolName}`, 'make a key that may use it');
  return codedError('permission', reason('tool_forbidden', { tool: toolName, reasons }), {
    ...field,
    fixes: kind === 'operation' ? [explain, grant] : [explain],
  });
}

function clientOf({ principal, credential }: Caller): { readonly client?: string } {
  return credential === undefined ? {} : { client: clientNameOf(principal) };
}

function tooDeep(): CallError {
  return new CallError('validation', 'The arguments are nested too deeply.', {
    field: 'arguments',
  });
}
