import { formatWindow } from '#core/text/format.ts';
import type { Io } from '../io.ts';
import { escapeControls } from './escape-controls.ts';

/** The fields of a model from the tool `listmodels` that the table shows. */
export interface ShownModel {
  readonly id: string;
  readonly provider: string;
  readonly state: 'live' | 'retired';
  readonly usable: boolean;
  readonly because?: string;
  readonly unlisted_since?: string;
  readonly context_tokens: number;
  readonly usd_per_million?: { readonly input: number; readonly output: number };
  readonly input: readonly string[];
  readonly until?: string;
  readonly successor?: string;
  readonly roles: readonly string[];
}

const HEAD = ['model', 'provider', 'window', '$ in/out', 'remarks'] as const;
const GAP_CHARS = 2;
/** The narrowest column of remarks. */
const MIN_REMARK_CHARS = 24;
const MIN_NAME_CHARS = 16;

/**
 * The table of `exai models`, heading first. A name that would leave no room for remarks has a
 * separate line.
 */
export function formatModelRows(
  models: readonly ShownModel[],
  { paint, width = Number.POSITIVE_INFINITY }: Pick<Io, 'paint' | 'width'>,
): readonly (readonly string[])[] {
  const facts = models.map((model) => [
    model.provider,
    formatWindow(model.context_tokens),
    price(model),
  ]);
  const [, ...heads] = HEAD.slice(0, -1);
  const taken = heads.map((head, at) =>
    facts.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), head.length),
  );
  const others = taken.reduce((sum, chars) => sum + GAP_CHARS + chars, GAP_CHARS);
  const room = Math.max(MIN_NAME_CHARS, width - others - MIN_REMARK_CHARS);
  const rows = models.flatMap((model, at) => {
    const id = escapeControls(model.id);
    const name = paint(model.usable ? 'bold' : 'dim', id);
    const rest = [...(facts[at] ?? []), escapeControls(remarks(model))];
    return id.length > room ? [[name], ['', ...rest]] : [[name, ...rest]];
  });
  return [HEAD.map((word) => paint('dim', word)), ...rows];
}

function price({ usd_per_million: usd }: ShownModel): string {
  if (!usd) return '?';
  return usd.input + usd.output === 0 ? 'free' : `${usd.input}/${usd.output}`;
}

function remarks({ state, until, successor, because, roles, input }: ShownModel): string {
  if (state === 'retired') {
    return `off${until === undefined ? '' : ` since ${until}`}${successor === undefined ? '' : `, ${successor} answers`}`;
  }
  const takes = input.filter((kind) => kind !== 'text');
  return [
    roles.join(', '),
    takes.length === 0 ? '' : `takes ${takes.join(', ')}`,
    until === undefined ? '' : `ends ${until}`,
    because ?? '',
  ]
    .filter((words) => words !== '')
    .join('; ');
}
