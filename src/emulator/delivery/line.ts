/** Takes the one who waits out of the line; without effect once served. */
export type Leave = () => void;

interface Place {
  run: (() => void) | undefined;
}

/** Who waits, first come first served. Whoever leaves keeps an empty place until the line gets there. */
export class Line {
  #places: Place[] = [];
  #served = 0;
  #length = 0;

  /** How many wait. */
  get length(): number {
    return this.#length;
  }

  join(run: () => void): Leave {
    const place: Place = { run };
    this.#places.push(place);
    this.#length++;
    return () => {
      if (place.run === undefined) return;
      place.run = undefined;
      this.#length--;
      this.#tidy();
    };
  }

  /** The first of those who wait, out of the line. */
  next(): (() => void) | undefined {
    while (this.#served < this.#places.length) {
      const place = this.#places[this.#served++]!;
      const { run } = place;
      if (run === undefined) continue;
      place.run = undefined;
      this.#length--;
      this.#tidy();
      return run;
    }
    return undefined;
  }

  // Empty places are dropped in bulk: shifting one by one costs the whole line each time.
  #tidy(): void {
    if (this.#places.length <= 1_024 || this.#places.length <= 2 * this.#length) return;
    this.#places = this.#places.slice(this.#served).filter(({ run }) => run !== undefined);
    this.#served = 0;
  }
}
