import type { Coverage } from '#core/auth/access-admin.ts';

const MAX_NAMED = 8;

/** One sentence: how many tools a client may call, and what they cost. */
export function describeCoverage(client: string, coverage: Coverage): string {
  const { free, paid, changing } = coverage;
  const all = free.length + paid.length + changing.length;
  if (all === 0) return `${client} may call no tool that is there now.`;
  const parts = [
    free.length > 0 && verbs(free, 'only reads and costs nothing', 'only read and cost nothing'),
    paid.length > 0 &&
      `${verbs(paid, 'asks models and spends money', 'ask models and spend money')} (${named(paid)})`,
    changing.length > 0 &&
      `${verbs(changing, 'changes things', 'change things')} (${named(changing)})`,
  ].filter((part) => part !== false);
  return `${client} may call ${all} tool${all === 1 ? '' : 's'}: ${parts.join('; ')}.`;
}

/** The limits of what scopes protect from, one sentence each. */
export function describeScopeLimits(client: string, { paid, asking }: Coverage): string[] {
  const money =
    `Scopes do not limit how much ${client} spends; budget.clientDailyUsd, or ${client}=USD in budget.clients, does. ` +
    'They do not limit which files below allowedDirs it may name. free:* covers only what costs nothing.';
  const consent =
    'ask: asks the program that has the token; it can accept without showing its user anything.';
  return [...(paid.length > 0 ? [money] : []), ...(asking.length > 0 ? [consent] : [])];
}

function verbs(names: readonly string[], one: string, many: string): string {
  return `${names.length} ${names.length === 1 ? one : many}`;
}

function named(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
