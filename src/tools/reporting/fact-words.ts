import { dollars } from '#core/dollars.ts';
import { HEADINGS } from '#core/explanation-layout.ts';
import { toMicroUsd } from '#core/money.ts';
import { oneLine } from '#core/one-line.ts';
import type { ExplanationContent } from './explanation.ts';

type Facts = ExplanationContent['facts'];

const MAX_WORD_CHARS = 120;

/** What a request is on one line, and what its caller wishes on another. */
export function factWords({ facts, panel }: Pick<ExplanationContent, 'facts' | 'panel'>): string {
  // Nobody wished for one model of a panel, nor that none should take its place: its members are no alternatives.
  const wishes = wishesOf(panel ? withoutModel(facts) : facts);
  return [
    `${HEADINGS.request}: ${word(facts.tool)} (${facts.category.replaceAll('_', ' ')}), ${traits(facts).join(', ')}`,
    ...(panel ? [panelWords(panel)] : []),
    ...(wishes.length === 0 ? [] : [`${HEADINGS.wishes}: ${wishes.join(', ')}`]),
  ].join('\n');
}

function withoutModel(facts: Facts): Facts {
  return { ...facts, model: undefined, fallback: 'chain' };
}

function panelWords(panel: readonly string[]): string {
  const [first = ''] = panel;
  return `${HEADINGS.panel}: ${panel.map(word).join(', ')}; each is asked the same, alone, and none takes the place of another. What follows is for ${word(first)}.`;
}

function traits(facts: Facts): readonly string[] {
  const { files, images, videos, tools, fresh, step, affinity, locked_model: locked } = facts;
  const cjk = Math.round(facts.cjk_share * 100);
  const kinds = [
    ...(files.documents > 0 ? [counted(files.documents, 'document')] : []),
    ...(files.scans > 0 ? [counted(files.scans, 'scan')] : []),
  ];
  const fileKinds = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return [
    `about ${counted(facts.tokens, 'token')}`,
    ...(files.count > 0 ? [`${fileWords(files)}${fileKinds}`] : []),
    ...(images > 0 ? [counted(images, 'picture')] : []),
    ...(videos > 0 ? [counted(videos, 'video')] : []),
    ...(tools > 0 ? [counted(tools, 'tool')] : []),
    ...(facts.has_code ? ['with code'] : []),
    ...(cjk > 0 ? [`${cjk} % Chinese, Japanese or Korean`] : []),
    ...(facts.locale === '' ? [] : [`locale ${word(facts.locale)}`]),
    ...(step ? [stepWords(step)] : []),
    ...(fresh
      ? [`"${word(fresh.words)}" ${fresh.strength === 'strong' ? 'asks' : 'may ask'} for news`]
      : []),
    ...(affinity === undefined ? [] : [`suits ${affinity}`]),
    ...(locked === undefined ? [] : [`its thread is on ${word(locked)}`]),
  ];
}

function fileWords({ count, tokens, unread = 0 }: Facts['files']): string {
  const all = counted(count, 'file');
  if (unread >= count) return `${all} not read for this`;
  const rest = unread > 0 ? `, ${unread} of them not read for this` : '';
  return `${all} of ${counted(tokens, 'token')}${rest}`;
}

function stepWords({ number, more, depth }: NonNullable<Facts['step']>): string {
  const which = number === undefined ? 'a step' : `step ${number}`;
  const next = { yes: 'more to come', no: 'the last', unknown: 'perhaps the last' }[more];
  return `${which} (${next}${depth === undefined ? '' : `, ${depth}`})`;
}

function wishesOf(facts: Facts): readonly string[] {
  const { model, search, thinking, prefer, fallback, format, max_cost_usd: cost } = facts;
  const limit = facts.max_output_tokens;
  return [
    ...(model === undefined ? [] : [`the model ${word(model)}`]),
    ...(search === 'on' ? ['a web search'] : search === 'off' ? ['no web search'] : []),
    ...(thinking === undefined ? [] : [`thinking ${thinking}`]),
    ...(prefer === undefined ? [] : [`${prefer} first`]),
    ...(format === 'text' ? [] : [format === 'json' ? 'JSON' : 'JSON of a schema']),
    ...(limit === undefined ? [] : [`at most ${counted(limit, 'token')} of answer`]),
    ...(cost === undefined ? [] : [`at most ${dollars(toMicroUsd(cost))}`]),
    ...(fallback === 'none' ? ['no fallback'] : []),
  ];
}

export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

const word = (text: string): string => oneLine(text, MAX_WORD_CHARS);
