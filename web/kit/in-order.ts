/**
 * Takes the answers of one kind of question in the order of the questions. Called with each question; the result tells,
 * once its answer is there, whether that may be taken: not if the answer to a later question was taken before.
 */
export function inOrder(): () => () => boolean {
  let asked = 0;
  let taken = 0;
  return () => {
    const own = ++asked;
    return () => {
      if (own < taken) return false;
      taken = own;
      return true;
    };
  };
}
