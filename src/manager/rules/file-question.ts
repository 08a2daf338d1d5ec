import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/route.ts';
import type { RoleName } from '#models/roles.ts';
import { chosenFor, firstAble, ofRole } from './of-role.ts';
import { no, yes, type Rule, type Situation, type Wanted } from './rule.ts';

/** From here on waiting for the first word is slow, and less than half of it is worth a change. */
const SLOW_MS = 10_000;
const MUCH_FASTER = 0.5;

/** Files are Kimi's; up to 128k tokens GLM may win, and has to say by what. */
export const fileQuestion: Rule = {
  number: 5,
  id: 'file-question',
  when: 'class `file_qa`: a document, a scan, or two files and more',
  route:
    'Kimi; up to 128k tokens GLM where Kimi cannot be asked or is slow, or where speed or cost matter more. Scans stay with Kimi, who reads them',
  applies: ({ classified }) =>
    classified.class === 'file_qa' ? yes(classified.reason) : no(reason('not_about_files')),
  wants(situation) {
    const { facts } = situation;
    const kimi = kimiRoles(facts).flatMap((role) => ofRole(situation, role));
    const glm = glmRoles(facts).flatMap((role) => ofRole(situation, role));
    const why = glmWins(situation, firstAble(situation, kimi), firstAble(situation, glm));
    return why === undefined ? kimi : [...chosenFor(glm, () => why), ...kimi];
  },
};

function kimiRoles({ category }: RouteFacts): readonly RoleName[] {
  return category === 'extended_reasoning'
    ? ['kimiQuality', 'kimiDefault']
    : ['kimiDefault', 'kimiQuality'];
}

function glmRoles({ prefer }: RouteFacts): readonly RoleName[] {
  return prefer ? ['glmSpeed', 'glmQuality'] : ['glmQuality', 'glmSpeed'];
}

/** By what GLM beats Kimi, if it does. */
function glmWins(
  { facts, world, judge }: Situation,
  kimi: Wanted | undefined,
  glm: Wanted | undefined,
): Reason | undefined {
  if (!glm) return undefined;
  if (!kimi) return reason('kimi_unavailable');
  const [ofKimi, ofGlm] = [judge(kimi.model), judge(glm.model)];
  if (ofKimi.is !== 'able' || ofGlm.is !== 'able') return undefined;
  if (ofKimi.health === 'half_open' && ofGlm.health === 'closed') {
    return reason('kimi_recovering');
  }
  if (facts.files.scans > 0) return undefined;
  const kimiMs = world.firstTokenMs(kimi.model);
  const glmMs = world.firstTokenMs(glm.model);
  if (facts.prefer === 'speed') {
    const isSlower = kimiMs !== undefined && glmMs !== undefined && glmMs > kimiMs;
    return isSlower ? undefined : reason('speed_preferred');
  }
  if (facts.prefer === 'cost') {
    const [kimiCost, glmCost] = [ofKimi.maxCostMicroUsd, ofGlm.maxCostMicroUsd];
    const isCheaper = glmCost !== undefined && (kimiCost === undefined || glmCost < kimiCost);
    return isCheaper ? reason('costs_less') : undefined;
  }
  if (kimiMs === undefined || glmMs === undefined || kimiMs < SLOW_MS) return undefined;
  if (glmMs > kimiMs * MUCH_FASTER) return undefined;
  return reason('kimi_slow', { firstTokenMs: kimiMs });
}
