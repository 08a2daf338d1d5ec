import type { Renderer, SentenceOverrides, Sentences, SentenceTable } from './coded.ts';
import { COMMAND_FIXES, FIX_SENTENCES } from './fixes.ts';
import { NOTICE_SENTENCES, type Notice, type NoticeCode, type NoticeParams } from './notices.ts';
import type { SentNotice } from './notices-wire.ts';
import { REASON_SENTENCES, type Reason, type ReasonCode, type ReasonParams } from './reasons.ts';
import { argumentText, renderFixes } from './render-fixes.ts';
import { asSentence } from './sentence.ts';

/** The base texts: those of MCP, with the names that tools have for their arguments. */
const BASE: Sentences = {
  reasons: REASON_SENTENCES,
  notices: NOTICE_SENTENCES,
  fixes: FIX_SENTENCES,
  commandFixes: COMMAND_FIXES,
  argument: argumentText,
};

/** The one renderer, with the texts of a surface. */
export function createRenderer(overrides: SentenceOverrides = {}): Renderer {
  const commandFixes = [...BASE.commandFixes, ...(overrides.commandFixes ?? [])];
  const renderer: Renderer = {
    reason: ({ code, params }: Reason) => {
      // Of another version or another process; its reader shows the text that came along.
      if (!Object.hasOwn(BASE.reasons, code)) throw new TypeError('Unknown reason code');
      return textOf<ReasonParams, ReasonCode>(
        overrides.reasons?.[code] ?? BASE.reasons[code],
        params,
        renderer,
      );
    },
    notice: ({ code, params }: Notice) =>
      textOf<NoticeParams, NoticeCode>(
        overrides.notices?.[code] ?? BASE.notices[code],
        params,
        renderer,
      ),
    fixes: (all) =>
      renderFixes(all, {
        fixes: overrides.fixes ?? {},
        commandFixes,
        argument: renderer.argument,
      }),
    message({ message, reason }) {
      // A message of another version may have a code that this one does not know.
      if (!reason || !Object.hasOwn(BASE.reasons, reason.code)) return message;
      return asSentence(renderer.reason(reason));
    },
    argument: overrides.argument ?? BASE.argument,
  };
  return renderer;
}

/** How MCP clients and envelopes are told. */
export const baseRenderer = createRenderer();

/** A notice for another process. */
export function toSent(data: Notice): SentNotice {
  return { text: baseRenderer.notice(data), data };
}

/** A code has the parameters that its sentence takes; the compiler sees that of each alone. */
function textOf<Params, Code extends keyof Params>(
  sentence: SentenceTable<Params>[Code],
  params: Params[Code],
  renderer: Renderer,
): string {
  return (sentence as (params: Params[Code], renderer: Renderer) => string)(params, renderer);
}
