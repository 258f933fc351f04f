import { redact } from '@wheelhouse/adapters';
import { fastest, redactionText } from './redaction-text.ts';

/** Time of ten megabytes over the time of one: 10 is linear. */
export function measureRedactLinear(): number {
  const [one, ten] = [redactionText(1_000_000), redactionText(10_000_000)];
  const timeOfOne = fastest(12, () => redact(one));
  return fastest(3, () => redact(ten)) / timeOfOne;
}
