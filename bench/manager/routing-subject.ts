import { createRoutingState } from '#app/manager/routing-state.ts';
import { createAvailability } from '#app/providers/availability.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { Config } from '#config/schema/config.schema.ts';
import type { Capability, ProviderId } from '#core/llm/provider.ts';
import { createBudgets } from '#manager/budget/budgets.ts';
import { createTokenCalibration } from '#manager/context/token-calibration.ts';
import { createLatencies } from '#manager/latencies.ts';
import { listedReasons } from '#models/model-lists.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { OverlayEntry } from '#models/overlay.ts';
import { EXTRACTIVE_MODEL } from '#providers/extractive/extractive-model.ts';
import { createBreakers, DEFAULT_RULES } from '#resilience/breakers.ts';

/** What decisions look at, in memory, with the keys of these providers. */
export async function createRoutingSubject(
  providers: readonly { readonly id: ProviderId; readonly capabilities: readonly Capability[] }[],
  models = 0,
) {
  const config = Config.parse({});
  const catalogue = createCatalogue(overlayOf(models));
  const clock = systemClock;
  const random = systemRandom;
  const rules = { ...DEFAULT_RULES, ...config.breaker };
  const breakers = createBreakers({ clock, random, rules });
  const budgets = await createBudgets({ limits: config.budget, clock, totals: async () => [] });
  const calibration = createTokenCalibration();
  const latencies = createLatencies();
  const standings = providers.map(({ id, capabilities }) => ({
    id,
    title: id,
    configured: true,
    can: capabilities,
  }));
  const routingState = createRoutingState({
    config,
    catalogue: () => catalogue,
    resolve: (name) => catalogue.resolve(name),
    obstacle: createAvailability(standings, listedReasons(config.models)),
    abilities: new Map(providers.map(({ id, capabilities }) => [id, capabilities])),
    extractiveModel: EXTRACTIVE_MODEL,
    breakers,
    budgets,
    correction: (provider, model) => calibration.correction(provider, model),
    latencies,
  });
  return { config, clock, random, breakers, budgets, calibration, latencies, routingState };
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
