import { createRedactor, redactionRules } from '@wheelhouse/adapters';
import { fastest, redactionText } from './redaction-text.ts';

/**
 * Time of the same rules run one after another over the time of all at once. Each run alone reads the text as the whole
 * engine does and keeps what its rule finds, so this says what the one pass saves, not how fast a pattern a rule would be.
 */
export function measureRedactVsRuleList(): number {
  const text = redactionText(1_000_000);
  const ids = redactionRules.map(({ id }) => id);
  const all = createRedactor();
  const alone = ids.map((id) => createRedactor({ without: ids.filter((other) => other !== id) }));
  const together = fastest(8, () => all.text(text));
  return alone.reduce((sum, one) => sum + fastest(2, () => one.text(text)), 0) / together;
}
