import type { RoleName } from '#models/roles.ts';
import { byShare } from '../capable.ts';
import { LONG_CONTEXT_TOKENS } from '../classify.ts';
import { isChatLike, toolKind } from '../tool-sets.ts';
import { ofRole } from './of-role.ts';
import { no, yes, type Rule, type Situation, type Wanted } from './rule.ts';

export const kimiTool: Rule = {
  number: 3,
  id: 'kimi-tool',
  when: 'the tool is one of Kimi’s own',
  route: '`KIMI_SPEED_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'kimi'
      ? yes(`${facts.tool} is Kimi’s own`)
      : no('the tool is not Kimi’s own'),
  wants: (situation) => ofRole(situation, 'kimiSpeed'),
};

export const longContext: Rule = {
  number: 4,
  id: 'long-context',
  when: 'more than 128k tokens',
  route: 'Kimi’s long windows; where none of them holds all of it, first whoever does',
  applies({ facts }) {
    const tokens = Math.round(facts.tokens).toLocaleString('en');
    const words = `there are about ${tokens} tokens`;
    return facts.tokens > LONG_CONTEXT_TOKENS ? yes(words) : no(words);
  },
  wants(situation) {
    const { category } = situation.facts;
    const roles: readonly RoleName[] =
      category === 'extended_reasoning'
        ? ['kimiQuality', 'kimiDefault', 'kimiSpeed']
        : ['kimiDefault', 'kimiSpeed', 'kimiQuality'];
    const kimi = roles.flatMap((role) => ofRole(situation, role));
    const able = kimi.filter((wanted) => isAble(situation, wanted));
    const holding = able.filter((wanted) => holdsAll(situation, wanted));
    if (holding.length > 0 || able.length === 0) return [...holding, ...kimi];
    const shares = (wanted: Wanted) => situation.judge(wanted.model);
    const mostOfKimi = kimi.toSorted((a, b) => byShare(shares(a), shares(b)));
    const best = mostOfKimi.find((wanted) => able.includes(wanted));
    const others = (['glmQuality', 'glmSpeed'] as const)
      .flatMap((role) => ofRole(situation, role))
      .filter(
        (wanted) => best && isAble(situation, wanted) && byShare(shares(wanted), shares(best)) < 0,
      )
      .toSorted((a, b) => byShare(shares(a), shares(b)))
      .map((wanted) => ({
        ...wanted,
        so: `${wanted.so}: its window holds ${holdsAll(situation, wanted) ? 'all of it, Kimi’s do not' : 'more of it than Kimi’s'}`,
      }));
    return [...others, ...mostOfKimi];
  },
};

function isAble({ judge }: Situation, { model }: Wanted): boolean {
  return judge(model).is === 'able';
}

function holdsAll({ judge }: Situation, { model }: Wanted): boolean {
  const verdict = judge(model);
  return verdict.is === 'able' && verdict.fits === 'whole';
}

export const mediaInput: Rule = {
  number: 6,
  id: 'pictures',
  when: 'pictures or videos come along',
  route: 'GLM’s vision model; Kimi’s while the thread is with Kimi',
  applies: ({ facts }) =>
    facts.images + facts.videos > 0
      ? yes('pictures or videos come along')
      : no('there is no picture'),
  wants(situation) {
    const vision = ofRole(situation, 'vision');
    if (situation.locked?.model?.provider !== 'kimi') return vision;
    const kimi = (['kimiDefault', 'kimiQuality'] as const).flatMap((role) =>
      ofRole(situation, role),
    );
    const onKimi = kimi.map((wanted) => ({
      ...wanted,
      so: `${wanted.so}: the thread is with Kimi`,
    }));
    return [...onKimi, ...vision];
  },
};

export const webQuestion: Rule = {
  number: 7,
  id: 'web',
  when: 'class `web` on a tool like chat: `use_websearch: true`, or words that ask for what is new',
  route: 'GLM with its own search',
  applies({ facts, classified }) {
    if (!isChatLike(facts.tool)) return no(`${facts.tool} is not like chat`);
    return classified.class === 'web' ? yes(classified.because) : no('nothing new is asked for');
  },
  wants(situation) {
    const { facts, world } = situation;
    const roles: readonly RoleName[] =
      facts.category === 'extended_reasoning'
        ? ['glmQuality', 'glmSpeed']
        : ['glmSpeed', 'glmQuality'];
    return roles
      .flatMap((role) => ofRole(situation, role))
      .filter(({ model }) => world.canSearch(model) === 'yes')
      .map((wanted) => ({ ...wanted, so: `${wanted.model.id} answers with its own search` }));
  },
};

export const agenticWork: Rule = {
  number: 8,
  id: 'agentic',
  when: 'class `agentic`: tools are given to the model, or an agent asks',
  route: '`GLM_QUALITY_MODEL`, thinking',
  applies({ facts }) {
    if (facts.tools > 0)
      return yes(`${facts.tools === 1 ? 'a tool is' : `${facts.tools} tools are`} given`);
    return toolKind(facts.tool) === 'agent' ? yes('an agent asks') : no('no tools are given');
  },
  wants: (situation) => ofRole(situation, 'glmQuality'),
};
