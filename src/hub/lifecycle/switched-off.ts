import { codedError } from '#core/errors/coded-error.ts';
import { foldToolName } from '#core/hub/inner-tools.ts';
import { commandFix, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import { matchesWildcard } from '#core/text/wildcard.ts';
import { upstreamToolName } from '../catalogue/tool-name.ts';

/** A call of a tool that calls others of its server, or runs them beside its own. */
interface InnerCall {
  readonly server: string;
  /** Patterns of its tools that the owner switched off. */
  readonly disabledTools: readonly string[];
  readonly outer: string;
  readonly names: readonly string[] | 'unreadable';
  /** The tools that the server lists. */
  readonly listed: readonly { readonly name: string }[];
}

const MAX_SHOWN_CHARS = 128;

/** Refuses such a call if it names a tool that is switched off, as a direct call of that tool is refused. */
export function requireSwitchedOn({
  server,
  disabledTools,
  outer,
  names,
  listed,
}: InnerCall): void {
  if (disabledTools.length === 0) return;
  if (names === 'unreadable') {
    const tool = upstreamToolName(server, outer);
    throw codedError('permission', reason('inner_tools_unreadable', { tool }), {
      field: 'arguments',
      fixes: [commandFix('exai servers list', 'see which of its tools are switched off')],
    });
  }
  const isOff = (name: string) => disabledTools.some((pattern) => matchesWildcard(name, pattern));
  const refused = names.find((name) => isOff(name) || isOtherSpelling(name));
  if (refused === undefined) return;
  const tool = oneLine(`mcp__${server}__${refused}`, MAX_SHOWN_CHARS);
  throw codedError('not_found', reason('unknown_tool', { tool, hint: '' }), {
    field: refused === outer ? 'name' : 'arguments',
    fixes: [fix('list_tools')],
  });

  /** Of a tool that is not listed, all spellings of a pattern are refused. */
  function isOtherSpelling(name: string): boolean {
    const folded = foldToolName(name);
    const meant = listed.filter((tool) => foldToolName(tool.name) === folded);
    if (meant.length > 0) return meant.some((tool) => isOff(tool.name));
    return disabledTools.some((pattern) => matchesWildcard(folded, foldToolName(pattern)));
  }
}
