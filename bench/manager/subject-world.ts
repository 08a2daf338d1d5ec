import { createRouteWorld } from '#app/manager/route-world.ts';
import { createObstacles } from '#app/outside/obstacle.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/config.schema.ts';
import type { Ability, ProviderId } from '#core/provider.ts';
import { createBudgets } from '#manager/budget.ts';
import { createCorrections } from '#manager/context/corrections.ts';
import { createLatencies } from '#manager/latencies.ts';
import { listedReasons } from '#models/allow.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { OverlayEntry } from '#models/overlay.ts';
import { LOCAL_MODEL } from '#providers/local/local-model.ts';
import { createBreakers, DEFAULT_RULES } from '#resilience/breakers.ts';

/** What decisions look at, in memory, with the keys of these providers. */
export async function createSubjectWorld(
  providers: readonly { readonly id: ProviderId; readonly can: readonly Ability[] }[],
  models = 0,
) {
  const config = Config.parse({});
  const catalogue = createCatalogue(overlayOf(models));
  const clock = systemClock;
  const random = systemRandom;
  const rules = { ...DEFAULT_RULES, ...config.breaker };
  const breakers = createBreakers({ clock, random, rules });
  const budgets = await createBudgets({ limits: config.budget, clock, totals: async () => [] });
  const corrections = createCorrections();
  const latencies = createLatencies();
  const standings = providers.map(({ id, can }) => ({ id, title: id, configured: true, can }));
  const world = createRouteWorld({
    config,
    catalogue: () => catalogue,
    resolve: (name) => catalogue.resolve(name),
    obstacle: createObstacles(standings, listedReasons(config.models)),
    abilities: new Map(providers.map(({ id, can }) => [id, can])),
    local: LOCAL_MODEL,
    breakers,
    budgets,
    correction: (provider, model) => corrections.correction(provider, model),
    latencies,
  });
  return { config, clock, random, breakers, budgets, corrections, latencies, world };
}

/** So many models in all, most of which only a list told of. */
function overlayOf(models: number): readonly OverlayEntry[] {
  const builtIn = createCatalogue().models.length;
  return Array.from({ length: Math.max(0, models - builtIn) }, (_, n) => ({
    provider: 'openrouter',
    id: `vendor-${n % 100}/model-${n}`,
    seenOn: '2026-11-01',
    contextTokens: 131_072,
    price: { input: 100_000, cached: 10_000, output: 400_000 },
  }));
}
