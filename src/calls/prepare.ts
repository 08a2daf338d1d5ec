import { CallError } from '#core/call-error.ts';
import type { Caller } from '#core/call.ts';
import type { CallRequest } from '#core/calls.ts';
import { oneLine } from '#core/one-line.ts';
import type { ClientMetadata } from '#core/request-metadata.schema.ts';
import type { Tool } from '#core/tool.ts';
import { argsDigest } from './args-digest.ts';
import { NO_ANSWERS, type Answers, type Asking } from '#core/question.ts';
import { consentOf } from './consent.ts';
import { decide, isCallable } from './decide.ts';
import { decideOffer } from './decide-offer.ts';
import type { Library } from './library.ts';
import type { Offer } from './offer.ts';
import type { Registry } from './registry.ts';
import type { StateSeal } from './request-state.ts';
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
}

const MAX_NAME_CHARS = 128;

export function createDraft({ tool, answers = NO_ANSWERS }: CallRequest): Draft {
  return { toolName: tool.slice(0, MAX_NAME_CHARS), args: {}, argsSha256: '', answers };
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
    throw refused(tool, decision);
  }
  readArgs(draft, tool, kind === 'resource' ? { uri: request.tool } : objectOf(request.args));
  const owner = { principal: caller.principal, tool: tool.name, argsSha256: draft.argsSha256 };
  const round = request.state === undefined ? undefined : sources.seal.open(owner, request.state);
  if (round) draft.answers = { ...round.answers, ...request.answers };
  return isAsking ? (consentOf(tool, draft, round) ?? tool) : tool;
}

function toolOf(draft: Draft, { tool: name, caller }: CallRequest, { registry }: Sources): Tool {
  const tool = registry.find(name);
  if (!tool) throw unknownTool(draft.toolName, caller, registry);
  draft.tool = tool;
  draft.toolName = tool.name;
  return tool;
}

function offered(draft: Draft, { kind, tool: name }: CallRequest, { library }: Sources): Tool {
  const offer = kind === 'prompt' ? library.prompt(name) : library.at(name);
  draft.toolName = `${kind}:${draft.toolName}`.slice(0, MAX_NAME_CHARS);
  if (!offer) throw unknownOffer(kind === 'prompt' ? 'prompt' : 'resource', name);
  draft.tool = offer.tool;
  draft.toolName = offer.tool.name;
  draft.offer = offer;
  return offer.tool;
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
    fix: 'tools/list names them all.',
  });
}

function unknownOffer(kind: 'prompt' | 'resource', name: string): CallError {
  const shown = oneLine(name, MAX_NAME_CHARS);
  return new CallError('not_found', `There is no ${kind} "${shown}".`, {
    field: kind === 'prompt' ? 'name' : 'uri',
    fix: `${kind}s/list names them all.`,
  });
}

function refused({ name }: Tool, { verdict, because }: ReturnType<typeof decide>): CallError {
  const why = because.join(' ');
  if (verdict === 'ask') {
    return new CallError('permission', `${name} needs a yes of its user first. ${why}`, {
      field: 'name',
      fix: 'This client cannot be asked; allow the tool in its scopes.',
    });
  }
  return new CallError('permission', `${name} may not be used. ${why}`, {
    field: 'name',
    fix: `Its user can see why with: exai access explain ${name}`,
  });
}

function tooDeep(): CallError {
  return new CallError('validation', 'The arguments are nested too deeply.', {
    field: 'arguments',
  });
}
