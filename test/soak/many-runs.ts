import fc from 'fast-check';

/** The same properties as in the suite, tried far more often. */
fc.configureGlobal({ numRuns: 20_000 });
