import type { Renderer, SentenceOverrides, Sentences, SentenceTable } from './coded-message.ts';
import { COMMAND_FIXES, FIX_SENTENCES } from './fixes.ts';
import { NOTICE_SENTENCES, type Notice, type NoticeCode, type NoticeParams } from './notices.ts';
import type { SentNotice } from './notices-wire.ts';
import { REASON_SENTENCES, type Reason, type ReasonCode, type ReasonParams } from './reasons.ts';
import { argumentText, renderFixes } from './render-fixes.ts';
import { asSentence } from './sentence.ts';

/** The base texts, those of MCP, with the argument names of tools. */
const BASE: Sentences = {
  reasons: REASON_SENTENCES,
  notices: NOTICE_SENTENCES,
  fixes: FIX_SENTENCES,
  commandFixes: COMMAND_FIXES,
  argument: argumentText,
};

/** Creates the renderer of a surface. */
export function createRenderer(overrides: SentenceOverrides = {}): Renderer {
  const commandFixes = [...BASE.commandFixes, ...(overrides.commandFixes ?? [])];
  const renderer: Renderer = {
    reason: ({ code, params }: Reason) => {
      // From another version or process; its reader shows the text that came with it.
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
      if (!reason) return message;
      try {
        const text = renderer.reason(reason);
        return lacksParameter(text, reason) ? message : asSentence(text);
      } catch {
        // Of another version: a code that this one does not know, or other parameters, also of a
        // reason within it.
        return message;
      }
    },
    argument: overrides.argument ?? BASE.argument,
  };
  return renderer;
}

/** The renderer for MCP clients and envelopes. */
export const baseRenderer = createRenderer();

/** Whether the text shows a parameter that was missing. */
function lacksParameter(text: string, reason: Reason): boolean {
  return text.includes('undefined') && !JSON.stringify(reason).includes('undefined');
}

/** Serialises a notice for another process. */
export function toSent(data: Notice): SentNotice {
  return { text: baseRenderer.notice(data), data };
}

/**
 * Each code has the parameters that its sentence needs; the compiler cannot see that for the union.
 */
function textOf<Params, Code extends keyof Params>(
  sentence: SentenceTable<Params>[Code],
  params: Params[Code],
  renderer: Renderer,
): string {
  return (sentence as (params: Params[Code], renderer: Renderer) => string)(params, renderer);
}
