import type { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import { advice, fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import type { InlineRule } from '#core/providers/assumption.ts';
import type { InlineMedia, RouteFacts } from '#core/route.ts';
import { fitsRule, inlineRule, type MediaKind } from '#models/inline-media.ts';
import { outGroups } from './out-groups.ts';
import type { Out } from './situation.ts';

/** Who takes most types of a kind. */
const OTHERS: Readonly<Record<MediaKind, { readonly text: string; readonly provider: string }>> = {
  image: { text: 'Kimi takes most types.', provider: 'kimi' },
  video: { text: 'Kimi takes most types.', provider: 'kimi' },
  file: { text: 'OpenRouter reads documents such as PDF.', provider: 'openrouter' },
};

const INSTEAD: Readonly<Record<MediaKind, string>> = {
  image: 'Say in words what is in it.',
  video: 'Send pictures of it, or say in words what is in it.',
  file: 'Send its text.',
};

/** That something comes along which nobody of those who can be asked takes, and what to send instead. */
export function mediaError(out: readonly Out[], facts: RouteFacts): CallError {
  const { rule, media } = misfit(out, facts.inline ?? []) ?? {};
  const kind = media?.kind ?? kindOf(facts);
  const why = reason('no_model_takes_media', {
    media: kind === 'file' ? 'document' : kind,
    models: outGroups(out),
  });
  const { text, provider } = OTHERS[kind];
  return codedError('validation', why, {
    field: fieldOf(kind, media, facts),
    fixes: [advice(rule?.fix ?? INSTEAD[kind]), advice(text), fix('add_key', { provider })],
  });
}

/** What is of a type or size that a vendor refuses, whose models take the kind. */
function misfit(
  out: readonly Out[],
  inline: readonly InlineMedia[],
): { readonly rule: InlineRule; readonly media: InlineMedia } | undefined {
  for (const media of inline) {
    for (const { model } of out) {
      const rule = inlineRule(model.provider, media.kind);
      if (rule && model.input.includes(media.kind) && !fitsRule(rule, media))
        return { rule, media };
    }
  }
  return undefined;
}

function kindOf({ files, videos }: RouteFacts): MediaKind {
  if ((files.attached ?? 0) > 0) return 'file';
  return videos > 0 ? 'video' : 'image';
}

function fieldOf(
  kind: MediaKind,
  media: InlineMedia | undefined,
  { tool, inline = [] }: RouteFacts,
): string {
  // Tools have one argument for all their pictures.
  if (tool !== GATEWAY_OPERATIONS.chat && kind === 'image') return 'images';
  return (media ?? inline.find((each) => each.kind === kind))?.field ?? 'messages';
}
