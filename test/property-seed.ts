import fc from 'fast-check';

/**
 * One seed for all properties of the suite, so that two runs on the same sources have the same result.
 * The soak run (test/soak/many-runs.ts) has no seed: it looks for new counterexamples, and each one it
 * finds becomes a test with that input.
 */
fc.configureGlobal({ seed: 20_261_118 });
