import { CallError } from '#core/call-error.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import type { InlineMedia, RouteFacts } from '#core/route.ts';
import { fitsRule, inlineRule, type InlineRule, type MediaKind } from '#models/inline-media.ts';
import { outWords } from './out-words.ts';
import type { Out } from './situation.ts';

const WORDS: Readonly<Record<MediaKind, string>> = {
  image: 'picture',
  video: 'video',
  file: 'document',
};

const OTHERS: Readonly<Record<MediaKind, string>> = {
  image: 'Kimi takes most types: exai keys add kimi.',
  video: 'Kimi takes most types: exai keys add kimi.',
  file: 'OpenRouter reads documents such as PDF: exai keys add openrouter.',
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
  const message = `No model that can be asked takes this ${WORDS[kind]}: ${outWords(out)}.`;
  return new CallError('validation', message, {
    field: fieldOf(kind, media, facts),
    fix: `${rule?.fix ?? INSTEAD[kind]} ${OTHERS[kind]}`,
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
