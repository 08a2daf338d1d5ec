export function turnCount(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}
