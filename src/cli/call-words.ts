import { shellQuote } from '#core/shell-quote.ts';

const FIX = '\n  fix: ';
/** Of an error it stands on a line of its own, and of an answer behind the rest. */
const TOOL_LIST = /(?:\n {2}fix:)? tools\/list names them all\./g;
const TOOL_HELP = / What they must be: tool_help with (\{"tool": "\w+"\})\./g;

/** What the daemon says of a call, with the commands that one can type. Never for an answer. */
export function callWords(sentence: string): string {
  return sentence
    .replaceAll(TOOL_LIST, `${FIX}exai tools --all`)
    .replaceAll(
      TOOL_HELP,
      (_, args: string) => `${FIX}exai call tool_help --args ${shellQuote(args)}`,
    );
}
