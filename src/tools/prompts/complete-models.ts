import type { Complete } from '#core/prompt.ts';
import type { ModelDesk } from '#models/desk.ts';
import { fitting } from './complete-choices.ts';

type Desk = Pick<ModelDesk, 'models'>;

const AUTO = 'auto';

/** The models that the settings let be asked, found by any of their names. */
export function completeModels(desk: Desk): Complete {
  return (value) => named(value, desk, [AUTO]);
}

/** The same for the last of several, with commas between them. */
export function completeModelList(desk: Desk): Complete {
  return (value) => {
    const end = value.lastIndexOf(',') + 1;
    const before = value.slice(0, end).trim();
    const taken = before.split(',').map((name) => name.trim().toLowerCase());
    return named(value.slice(end), desk, [])
      .filter((id) => !taken.includes(id.toLowerCase()))
      .map((id) => (before === '' ? id : `${before} ${id}`));
  };
}

function named(value: string, desk: Desk, others: readonly string[]): string[] {
  const typed = value.trim().toLowerCase();
  const usable = desk.models().filter(({ usable: is }) => is === 'yes');
  const byAlias = usable.filter(({ model }) =>
    model.aliases.some((alias) => alias.toLowerCase().startsWith(typed)),
  );
  const ids = [...others, ...usable.map(({ model }) => model.id)];
  // One id may be had of two providers.
  return [...new Set([...fitting(value, ids), ...byAlias.map(({ model }) => model.id)])];
}
