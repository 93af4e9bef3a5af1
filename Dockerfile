# starcloak with the drivers of PostgreSQL and MariaDB: docker run --rm -v "$PWD":/work
# -v starcloak-state:/state -e XDG_STATE_HOME=/state starcloak run job.yaml
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY constraints.txt /wheels/
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt "$(ls /wheels/*.whl)[postgresql,mariadb]" \
    && rm -r /wheels \
    && useradd --uid 1000 --create-home starcloak \
    && install --directory --owner starcloak --mode 0700 /state
USER 1000
WORKDIR /work
ENTRYPOINT ["starcloak"]
CMD ["--help"]
