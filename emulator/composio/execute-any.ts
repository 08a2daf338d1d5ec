import { isObject } from '../is-object.ts';
import { executeApp, type Executing } from './execute.ts';
import { runMetaTool } from './meta-tools.ts';
import type { ToolOutcome } from './run-tool.ts';

/** A tool of the session, meta or not. */
export function executeAny(context: Executing, slug: string, args: unknown): ToolOutcome {
  const given = isObject(args) ? args : {};
  return runMetaTool(context, slug, given) ?? executeApp(context, slug, given);
}
