import type { Dictionary } from '../is-object.ts';
import type { Ask, Fault } from '../vendor.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';
import type { ComposioState, Session } from './state.ts';

/** What surrounds one execution in a session. */
export interface Executing {
  readonly state: ComposioState;
  readonly session: Session;
  readonly ask: Ask;
}

export interface Executed {
  readonly successful: boolean;
  readonly data: Dictionary;
  readonly error: string | null;
  readonly log_id: string;
}

/** The outer object of every execution. */
export function toExecuted(state: ComposioState, outcome: ToolOutcome): Executed {
  const error = 'error' in outcome ? outcome.error : null;
  const data = outcome.data ?? {};
  return { successful: error === null, data, error, log_id: state.newId('log_') };
}

/** A tool of an app within a session. */
export function executeApp(
  { state, session, ask }: Executing,
  slug: string,
  args: Dictionary,
): ToolOutcome {
  const tool = state.catalogue().find(slug);
  const { enabled, disabled } = session;
  const isAllowed =
    tool && !disabled.includes(tool.toolkit) && (enabled?.includes(tool.toolkit) ?? true);
  if (!tool || !isAllowed) return { error: `Tool ${slug} not found in this session` };
  if (isFault(ask.fault, 'F17.unsuccessful')) {
    return { error: 'The service behind the tool refused the request (emulated).' };
  }
  const isDisconnected = ask.fault?.id === 'F23';
  return runTool(state, { tool, args, userId: session.userId, nowMs: ask.now(), isDisconnected });
}

export const isFault = (fault: Fault | undefined, id: string): boolean => fault?.id === id;
