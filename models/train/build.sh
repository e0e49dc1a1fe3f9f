#!/bin/sh
# One command from corpus and teachers to the model:   sh build.sh CORPUS TEACHERS OUT
# CORPUS: the seven files of DATA.md (.txt or .txt.xz). TEACHERS: folders made by teachers.py. OUT holds tokenizer.json already.
set -e
cd "$(dirname "$0")"
python3 prepare.py --corpus "$1" --teachers "$2" --tokenizer "$3/tokenizer.json" --cache "$3/cache"
python3 train.py --cache "$3/cache" --tokenizer "$3/tokenizer.json" --out "$3" --steps 8108
